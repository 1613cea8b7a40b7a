import {
  createScale,
  formatCoordinate,
  lineElement,
  svgElement,
  textElement,
  WIDTH,
} from './svg.ts';

/** One candle as numbers for drawing only. */
export interface PriceCandle {
  /** Start in milliseconds. */
  readonly at: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** A period with its price trend, in milliseconds. */
export interface PriceRegime {
  readonly from: number;
  readonly to: number;
  readonly regime: 'up' | 'down' | 'sideways';
}

/** Data of a price chart. */
export interface PriceSeries {
  readonly candles: readonly PriceCandle[];
  /** Candle length in milliseconds. */
  readonly stepMs: number;
  readonly regimes: readonly PriceRegime[];
}

/** Above this number of candles a line of closing prices is drawn, because bodies would overlap. */
export const CANDLES_DRAWN_MAX = 130;
const PLOT = { left: 2, right: WIDTH - 76, top: 8, bottom: 200 } as const;
const STRIP = { top: 210, height: 14 } as const;
const HEIGHT = 248;
const TICKS = 4;
/** Minimum digits of a price on the axis that distinguish two ticks. */
const DIGITS = 5;

/** Draws prices over time; gaps stay empty. Regimes are drawn below. */
export function drawPrices(label: string, series: PriceSeries): string {
  const { candles, stepMs, regimes } = series;
  const [first, last] = [candles[0], candles.at(-1)];
  if (first === undefined || last === undefined) return svgElement(label, 1, []);
  const low = Math.min(...candles.map((one) => one.low));
  const high = Math.max(...candles.map((one) => one.high));
  const frame: Frame = {
    stepMs,
    x: createScale([first.at, last.at + stepMs], [PLOT.left, PLOT.right]),
    y: createScale([low, high], [PLOT.bottom, PLOT.top]),
  };
  const shapes = candles.length > CANDLES_DRAWN_MAX ? drawTrace : drawCandles;
  return svgElement(label, HEIGHT, [
    ...drawGrid(frame, low, high),
    ...shapes(candles, frame),
    ...drawRegimes(regimes, frame),
    ...drawDates([first.at, last.at + stepMs]),
  ]);
}

interface Frame {
  readonly stepMs: number;
  readonly x: (at: number) => number;
  readonly y: (price: number) => number;
}

function drawGrid({ y }: Frame, low: number, high: number): readonly string[] {
  return Array.from({ length: TICKS + 1 }, (_, tick) => {
    const price = low + ((high - low) * tick) / TICKS;
    const top = y(price);
    return (
      lineElement([PLOT.left, top], [PLOT.right, top], 'grid') +
      textElement({ x: PLOT.right + 6, y: top + 5, tone: 'muted' }, formatPrice(price))
    );
  });
}

/** Draws hollow bodies for rising and filled ones for falling prices. */
function drawCandles(candles: readonly PriceCandle[], { x, y, stepMs }: Frame): readonly string[] {
  const paths = { wick: '', up: '', down: '' };
  for (const { at, open, high, low, close } of candles) {
    const [left, right] = [x(at), x(at + stepMs)];
    const wide = Math.max(1, (right - left) * 0.62);
    const middle = (left + right) / 2;
    const [top, bottom] = [y(Math.max(open, close)), y(Math.min(open, close))];
    const [highest, lowest] = [formatCoordinate(y(high)), formatCoordinate(y(low))];
    paths.wick += `M${formatCoordinate(middle)} ${highest}V${lowest}`;
    const tall = formatCoordinate(Math.max(1, bottom - top));
    const across = formatCoordinate(wide);
    const corner = `M${formatCoordinate(middle - wide / 2)} ${formatCoordinate(top)}`;
    const body = `${corner}h${across}v${tall}h-${across}z`;
    if (close >= open) paths.up += body;
    else paths.down += body;
  }
  return Object.entries(paths).flatMap(([kind, path]) =>
    path === '' ? [] : [`<path class="${kind}" d="${path}"/>`],
  );
}

function drawTrace(candles: readonly PriceCandle[], { x, y, stepMs }: Frame): readonly string[] {
  let path = '';
  let before = Number.NEGATIVE_INFINITY;
  for (const { at, close } of candles) {
    const isNext = at - before <= stepMs;
    const point = `${formatCoordinate(x(at + stepMs / 2))} ${formatCoordinate(y(close))}`;
    path += `${isNext ? 'L' : 'M'}${point}`;
    before = at;
  }
  return [`<path class="trace" d="${path}"/>`];
}

/** Position encodes the regime as well as colour: up is high, down is low, sideways is between. */
function drawRegimes(regimes: readonly PriceRegime[], { x }: Frame): readonly string[] {
  const third = STRIP.height / 3;
  const rowByRegime = { up: 0, sideways: 1, down: 2 } as const;
  const tones = { up: 'good', sideways: 'flat', down: 'bad' } as const;
  return regimes.map(({ from, to, regime }) => {
    const left = Math.max(PLOT.left, x(from));
    const wide = Math.max(1, Math.min(PLOT.right, x(to)) - left);
    const top = STRIP.top + rowByRegime[regime] * third;
    return (
      `<rect class="${tones[regime]}" x="${formatCoordinate(left)}" y="${formatCoordinate(top)}" ` +
      `width="${formatCoordinate(wide)}" height="${formatCoordinate(third)}">` +
      `<title>${regime}</title></rect>`
    );
  });
}

function drawDates([from, to]: readonly [number, number]): readonly string[] {
  const y = HEIGHT - 4;
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  return [
    textElement({ x: PLOT.left, y, tone: 'muted' }, day(from)),
    textElement({ x: PLOT.right, y, anchor: 'end', tone: 'muted' }, day(to)),
  ];
}

function formatPrice(price: number): string {
  const integerDigits = Math.trunc(Math.abs(price)).toString().length;
  return price.toFixed(Math.max(0, Math.min(8, DIGITS - integerDigits)));
}

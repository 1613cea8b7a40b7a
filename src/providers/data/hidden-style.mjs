// @ts-check

/**
 * Detects elements of markup that no reader can see, by their attributes. Layout and elements that
 * appear while a page is read do not count as hidden.
 */

/** @typedef {Map<string, string>} Style - Declarations of a `style` attribute, by name. */

/** @type {Readonly<Record<string, number>>} */
const UNITS = {
  '': 1,
  px: 1,
  pt: 1.33,
  em: 16,
  rem: 16,
  ex: 8,
  ch: 8,
  '%': 10,
  vw: 10,
  vh: 8,
  cm: 38,
  in: 96,
};
const FAR_PX = 500;
const FAR_MARGIN_PX = 999;
/** Least size of readable text, in pixels. */
export const TEXT_PX_MIN = 3;
const TEXT_PERCENT_MIN = 20;
const MOVING = /(^|[\s_-])(aos|wow|fade|reveal|animate|animated|appear|slide-?in|invisible)/i;
const MOVING_ATTRIBUTES = [
  'data-aos',
  'data-w-id',
  'data-animation',
  'data-sal',
  'data-scroll',
  'data-reveal',
];
const SIDES = ['left', 'top', 'right', 'bottom', 'text-indent', 'inset-inline-start'];
/** @type {Readonly<Record<string, string>>} */
const COLOURS = { white: '#fff', black: '#000', '#ffffff': '#fff', '#000000': '#000' };

/**
 * Parses a `style` attribute. Names and values are in lower case.
 *
 * @param {string} text
 * @returns {Style}
 */
export function parseStyle(text) {
  /** @type {Style} */
  const found = new Map();
  for (const part of text
    .toLowerCase()
    .replace(/\/\*[^*]*\*\//g, '')
    .split(';')) {
    const at = part.indexOf(':');
    const value = part
      .slice(at + 1)
      .replace('!important', '')
      .trim();
    if (at > 0) found.set(part.slice(0, at).trim(), value);
  }
  return found;
}

/**
 * Estimates a length in pixels.
 *
 * @param {string | undefined} value
 * @returns {number | undefined} `undefined` if it is not a length.
 */
export function toPixels(value) {
  const [, number, unit = ''] = /^([+-]?(?:\d+\.?\d*|\.\d+))([a-z%]*)/.exec(value ?? '') ?? [];
  return number === undefined ? undefined : Number(number) * (UNITS[unit] ?? 1);
}

/**
 * Returns whether a length is zero.
 *
 * @param {string | undefined} value
 */
export function isZero(value) {
  return toPixels(value) === 0;
}

/**
 * Returns whether an element has no height or width.
 *
 * @param {Style} style
 */
export function isCollapsed(style) {
  return ['height', 'max-height', 'width', 'max-width'].some((name) => isZero(style.get(name)));
}

/**
 * Returns whether no reader can see an element.
 *
 * @param {(name: string) => string | null} read - Returns an attribute, or `null` if it is missing.
 * @param {boolean} isOpened - Whether a reader can open the element.
 */
export function isUnseen(read, isOpened = false) {
  const style = parseStyle(read('style') ?? '');
  if (!isOpened && isClosed(style, read)) return true;
  return (
    isTiny(style) ||
    isOutside(style) ||
    hasNoColour(style) ||
    isZero(style.get('zoom')) ||
    /opacity\(\s*0/.test(style.get('filter') ?? '')
  );
}

/**
 * @param {Style} style
 * @param {(name: string) => string | null} read
 */
function isClosed(style, read) {
  const hidden = read('hidden');
  if (hidden !== null && hidden.toLowerCase() !== 'until-found') return true;
  if (read('aria-hidden') === 'true' || style.get('display') === 'none') return true;
  if (isCollapsed(style) && !style.has('transition')) return true;
  const isClear =
    isZero(style.get('opacity')) || /hidden|collapse/.test(style.get('visibility') ?? '');
  return isClear && !isMoving(style, read);
}

/** @param {string | undefined} value */
function isPercent(value) {
  return /%/.test(value ?? '');
}

/**
 * @param {string | undefined} value
 * @param {number} mostPx
 */
function isFar(value, mostPx) {
  return (toPixels(value) ?? 0) <= -mostPx;
}

/** @param {Style} style */
function isTiny(style) {
  const size = toPixels(style.get('font-size'));
  const least = isPercent(style.get('font-size')) ? 10 * TEXT_PERCENT_MIN : TEXT_PX_MIN;
  return size !== undefined && Math.abs(size) < least;
}

function normalizeColour(value = '') {
  const plain = value.replace(/\s+/g, '');
  const [, ...parts] = /^rgba?\((\d+),(\d+),(\d+)(?:,1)?\)$/.exec(plain) ?? [];
  const hex = parts.map((part) => Number(part).toString(16).padStart(2, '0'));
  const named = hex.length === 0 ? plain : `#${hex.join('')}`;
  return COLOURS[named] ?? named;
}

/** @param {Style} style */
function hasNoColour(style) {
  const colour = normalizeColour(style.get('color'));
  if (/^transparent$|^(rgb|hsl)a\(.*,0?\.?0+%?\)$/.test(colour)) {
    return ![...style.keys()].some((name) => /background-clip|text-shadow|text-stroke/.test(name));
  }
  const ground = normalizeColour(style.get('background-color') ?? style.get('background'));
  return colour !== '' && colour === ground;
}

/** @param {Style} style */
function isOutside(style) {
  const clip = style.get('clip-path') ?? '';
  const transform = style.get('transform') ?? style.get('-webkit-transform') ?? '';
  const moved = [...transform.matchAll(/translate(?:x|y|3d)?\(([^)]{0,80})\)/g)]
    .flatMap(([, places = '']) => places.split(','))
    .filter((place) => !isPercent(place));
  return (
    SIDES.some((name) => isFar(style.get(name), FAR_PX)) ||
    [...style].some(
      ([name, value]) =>
        name.startsWith('margin') && !isPercent(value) && isFar(value, FAR_MARGIN_PX),
    ) ||
    moved.some((place) => isFar(place.trim(), FAR_MARGIN_PX)) ||
    /scale\(\s*0\s*[,)]/.test(transform) ||
    /inset\(\s*(50|100)%|circle\(\s*0/.test(clip) ||
    /rect\(\s*(0|1px)/.test(style.get('clip') ?? '')
  );
}

/**
 * Detects elements that appear while the page is read: they fade or move in.
 *
 * @param {Style} style
 * @param {(name: string) => string | null} read
 */
function isMoving(style, read) {
  if (/absolute|fixed/.test(style.get('position') ?? '')) return false;
  const moving = /^(-webkit-)?(transform|transition|animation)/;
  return (
    [...style.keys()].some((name) => moving.test(name)) ||
    style.has('will-change') ||
    MOVING.test(read('class') ?? '') ||
    MOVING_ATTRIBUTES.some((name) => read(name) !== null)
  );
}

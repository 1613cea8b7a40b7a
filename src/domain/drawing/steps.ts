import {
  boxElement,
  createScale,
  LINE_HEIGHT,
  svgElement,
  type Tone,
  textElement,
  truncateLabel,
  WIDTH,
} from './svg.ts';

/** A step on a timeline. */
export interface TimelineStep {
  readonly label: string;
  /** Milliseconds; `null` if the step has not started. */
  readonly from: number | null;
  readonly to: number | null;
  readonly text: string;
  readonly tone: Tone;
}

const ROW_HEIGHT = 36;
const BAR_THICKNESS = 10;
/** Minimum width that keeps a step visible. */
const MIN_WIDTH = 4;

/** Draws steps below each other on one timeline, each as long as it took. */
export function drawSteps(label: string, steps: readonly TimelineStep[]): string {
  const times = steps.flatMap(({ from, to }) => [from ?? [], to ?? []].flat());
  const at = createScale([Math.min(...times), Math.max(...times)], [0, WIDTH]);
  const shapes = steps.map(({ label: name, from, to, text, tone }, row) => {
    const top = row * ROW_HEIGHT;
    const bar = { y: top + LINE_HEIGHT + 3, height: BAR_THICKNESS };
    const begun =
      from === null || to === null || times.length === 0
        ? []
        : [
            boxElement(
              {
                ...bar,
                x: Math.min(at(from), WIDTH - MIN_WIDTH),
                width: Math.max(MIN_WIDTH, at(to) - at(from)),
              },
              tone,
            ),
          ];
    return [
      textElement({ x: 0, y: top + LINE_HEIGHT - 3 }, truncateLabel(name)),
      textElement({ x: WIDTH, y: top + LINE_HEIGHT - 3, anchor: 'end', tone: 'muted' }, text),
      boxElement({ ...bar, x: 0, width: WIDTH }, 'rail'),
      ...begun,
    ].join('');
  });
  return svgElement(label, steps.length * ROW_HEIGHT, shapes);
}

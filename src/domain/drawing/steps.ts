import { box, cut, drawn, LINE, scaleOf, type Tone, WIDTH, words } from './svg.ts';

/** A step on a timeline. */
export interface StepSpan {
  readonly label: string;
  /** Milliseconds; `null` if the step has not started. */
  readonly from: number | null;
  readonly to: number | null;
  readonly text: string;
  readonly tone: Tone;
}

const ROW = 36;
const THICK = 10;
/** Minimum width that keeps a step visible. */
const SHORTEST = 4;

/** Draws steps below each other on one timeline, each as long as it took. */
export function stepsOf(label: string, steps: readonly StepSpan[]): string {
  const times = steps.flatMap(({ from, to }) => [from ?? [], to ?? []].flat());
  const at = scaleOf([Math.min(...times), Math.max(...times)], [0, WIDTH]);
  const shapes = steps.map(({ label: name, from, to, text, tone }, row) => {
    const top = row * ROW;
    const bar = { y: top + LINE + 3, height: THICK };
    const begun =
      from === null || to === null || times.length === 0
        ? []
        : [
            box(
              {
                ...bar,
                x: Math.min(at(from), WIDTH - SHORTEST),
                width: Math.max(SHORTEST, at(to) - at(from)),
              },
              tone,
            ),
          ];
    return [
      words({ x: 0, y: top + LINE - 3 }, cut(name)),
      words({ x: WIDTH, y: top + LINE - 3, anchor: 'end', tone: 'muted' }, text),
      box({ ...bar, x: 0, width: WIDTH }, 'rail'),
      ...begun,
    ].join('');
  });
  return drawn(label, steps.length * ROW, shapes);
}

/** Positions of all parts of a chart, in pixels from the upper left corner. */
export interface ChartLayout {
  readonly width: ChartWidth;
  readonly widthPx: number;
  readonly heightPx: number;
  /** Parents before children, as in the graph. */
  readonly states: readonly StateShape[];
  readonly transitions: readonly TransitionShape[];
}

/** Target screen: laptop or phone. */
export type ChartWidth = 'wide' | 'narrow';

/** A point of a chart. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A rectangle of a chart. */
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** Position of a state and its text lines. */
export interface StateShape {
  readonly id: string;
  readonly box: Box;
  /** Contains the title and all lines of the state, including its transitions. */
  readonly head: Box;
  readonly lines: readonly TextLine[];
}

/** The content of a text line. */
export type LineRole = 'title' | 'tag' | 'effect' | 'action' | 'label' | 'guard' | 'target';

/** A text line with its bounding box. */
export interface TextLine {
  readonly role: LineRole;
  readonly text: string;
  /** Bounds of the text; the mark precedes it. */
  readonly box: Box;
  readonly sizePx: number;
  readonly hasMark: boolean;
}

/** Position of a transition: its label within its state, and a route to each target. */
export interface TransitionShape {
  readonly id: string;
  readonly box: Box;
  readonly lines: readonly TextLine[];
  readonly routes: readonly Route[];
}

/** A line from a transition's label to a target, ending at the tip of the arrow. */
export interface Route {
  readonly targetId: string;
  readonly points: readonly Point[];
}

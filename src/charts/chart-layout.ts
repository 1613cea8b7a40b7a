/** Where each part of a machine's drawing stands, in pixels from its upper left corner. */
export interface ChartLayout {
  readonly width: ChartWidth;
  readonly widthPx: number;
  readonly heightPx: number;
  /** Parents before their children, as in the graph. */
  readonly states: readonly StateShape[];
  readonly transitions: readonly TransitionShape[];
}

/** For a laptop, or for a phone. */
export type ChartWidth = 'wide' | 'narrow';

/** A point of a drawing. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A rectangle of a drawing. */
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** A state: its border, and the lines that stand in it. */
export interface StateShape {
  readonly id: string;
  readonly box: Box;
  /** Holds the title and all lines of the state, its transitions included. */
  readonly head: Box;
  readonly lines: readonly TextLine[];
}

/** What a line of a state or transition tells. */
export type LineRole = 'title' | 'tag' | 'effect' | 'action' | 'label' | 'guard' | 'target';

/** A line of text with the room that it takes. */
export interface TextLine {
  readonly role: LineRole;
  readonly text: string;
  /** The room of its letters; the mark stands before it. */
  readonly box: Box;
  readonly sizePx: number;
  readonly hasMark: boolean;
}

/** A transition: its label within its state, and a route to each of its targets. */
export interface TransitionShape {
  readonly id: string;
  readonly box: Box;
  readonly lines: readonly TextLine[];
  readonly routes: readonly Route[];
}

/** A line from a transition's label to a target; its last point is the tip of the arrow. */
export interface Route {
  readonly targetId: string;
  readonly points: readonly Point[];
}

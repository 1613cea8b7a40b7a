/** How one kind of actor stands in the list of panels. */
export interface PanelKind {
  /** Words of the list. */
  readonly words: string;
  /** The page that shows one. */
  readonly page: 'panel' | 'audit';
}

/** Kinds of actors that are panels. A new one is one line here. */
export const PANEL_KINDS: ReadonlyMap<string, PanelKind> = new Map([
  ['debate', { words: 'Debate', page: 'panel' }],
  ['council', { words: 'Procurement council', page: 'panel' }],
  ['arbitration', { words: 'Arbitration', page: 'panel' }],
  ['audit', { words: 'Audit', page: 'audit' }],
]);

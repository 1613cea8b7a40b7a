/** How the list of panels shows one kind of actor. */
export interface PanelKind {
  /** Display name in the list. */
  readonly label: string;
  /** Name of the page that shows an actor of this kind. */
  readonly page: 'panel' | 'audit';
}

/** Kinds of actors that are panels. A new kind needs one entry here. */
export const PANEL_KINDS: ReadonlyMap<string, PanelKind> = new Map([
  ['debate', { label: 'Debate', page: 'panel' }],
  ['council', { label: 'Procurement council', page: 'panel' }],
  ['arbitration', { label: 'Arbitration', page: 'panel' }],
  ['audit', { label: 'Audit', page: 'audit' }],
]);

/** Kinds of actors that are panels, with the words of the list. A new one is one line here. */
export const PANEL_KINDS: ReadonlyMap<string, string> = new Map([
  ['debate', 'Debate'],
  ['council', 'Procurement council'],
  ['arbitration', 'Arbitration'],
]);

/** A role on the council. */
export interface CouncilRole {
  /** Wire name, which is also the prefix of its rule ids. */
  readonly role: CouncilRoleName;
  readonly title: string;
  /** Area of responsibility, for prompts. */
  readonly duty: string;
}

/** Role names in seating order: the first four always sit; each further seat adds the next role. */
export const ROLE_NAMES = [
  'CFO',
  'CIO',
  'CISO',
  'PROCUREMENT',
  'LEGAL',
  'END_USER',
  'OPERATIONS',
  'ESG',
  'ARCHITECT',
  'AUDIT',
  'RISK',
] as const;
/** One of the {@link ROLE_NAMES}. */
export type CouncilRoleName = (typeof ROLE_NAMES)[number];

/** Roles with red lines, which may be given a veto. */
export const VETO_ROLES = ['CFO', 'CISO', 'LEGAL'] as const satisfies readonly CouncilRoleName[];

/** The roles in the order in which seats are filled. */
export const ROLES: readonly CouncilRole[] = [
  { role: 'CFO', title: 'Chief financial officer', duty: 'total cost, budget and payback' },
  { role: 'CIO', title: 'Chief information officer', duty: 'fit with strategy and systems' },
  { role: 'CISO', title: 'Chief information security officer', duty: 'security of the service' },
  { role: 'PROCUREMENT', title: 'Procurement lead', duty: 'terms, competition and renewal' },
  { role: 'LEGAL', title: 'Legal and privacy counsel', duty: 'contract and personal data' },
  { role: 'END_USER', title: 'End users’ delegate', duty: 'use, training and acceptance' },
  { role: 'OPERATIONS', title: 'Operations lead', duty: 'availability, support and recovery' },
  { role: 'ESG', title: 'Sustainability officer', duty: 'environment, labour and governance' },
  { role: 'ARCHITECT', title: 'Enterprise architect', duty: 'interfaces, migration and exit' },
  { role: 'AUDIT', title: 'Internal audit', duty: 'rights of audit and traceability' },
  { role: 'RISK', title: 'Risk officer', duty: 'dependence on the vendor and continuity' },
];

/** Returns whether a text is the name of a role. */
export function isRoleName(text: string): text is CouncilRoleName {
  return ROLE_NAMES.some((name) => name === text);
}

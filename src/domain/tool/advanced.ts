/**
 * Marks a parameter that few callers need. Listings name it, and only the documentation of its tool
 * describes it. Use it as `.meta(ADVANCED)` after `.describe(…)`.
 */
export const ADVANCED = { advanced: true } as const;

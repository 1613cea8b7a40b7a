/** The flag `--data`. */
export const DATA = { value: 'dir', default: './data', about: 'Data directory' } as const;

/** The flag `--json`. */
export const JSON_LINE = { about: 'Print JSON' } as const;

/** The state of one feature and its requirement. */
export interface Finding {
  readonly feature: string;
  readonly needs: string;
  readonly state: 'ok' | 'missing' | 'reduced';
  readonly detail: string;
  /** The command that installs it, or an action of this program. */
  readonly fix?: readonly string[] | Installer;
}

/** An installation without a command; `fetch` throws if it fails. */
export interface Installer {
  readonly told: string;
  readonly fetch: () => Promise<void>;
}

/** Formats a finding for the terminal, with its fix on a second line. */
export function formatFinding(finding: Finding): string {
  const mark = { ok: 'ok     ', missing: 'MISSING', reduced: 'reduced' }[finding.state];
  const fix = finding.fix === undefined ? '' : `\n          fix: ${describeFix(finding.fix)}`;
  return `${mark}  ${finding.feature}: ${finding.needs}: ${finding.detail}${fix}\n`;
}

/** Returns the command of a fix, or what its installer does. */
export function describeFix(way: NonNullable<Finding['fix']>): string {
  return 'fetch' in way ? way.told : way.join(' ');
}

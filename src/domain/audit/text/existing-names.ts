import { joinPattern } from '../join-pattern.ts';

/** Names that are known not to exist outside the audit. */
export interface KnownNames {
  /** Origins of the audit's own listeners, `http://127.0.0.1:port`. */
  readonly listeners: readonly string[];
}

/** Maximum characters examined; a longer text counts as naming something. */
const TEXT_CHARS_MAX = 1_000_000;
/** Maximum number of decodings: servers decode once or twice. */
const DECODINGS_MAX = 3;
/** Names that nobody owns, and names for examples (RFC 2606). */
const RESERVED_HOST = /\.invalid$|^example\.(?:com|net|org)$/;

/** A parent directory step in any spelling, including dots that are dropped before it. */
const STEP_UP = /(?:^|[\s"'`=(,;:\\/])\.{2,}(?:[\\/]|$)/;
/** An absolute path, a home or a drive, at the start of the text or of a word. */
const FROM_TOP = /(?:^|[\s"'`=(,;])(?:[\\/~](?=[\w.~-])|[a-z]:[\\/])/i;
const WHOLE_TOP = /^\s{0,40}(?:[\\/~]+|\.{1,2}|[a-z]:)\s{0,40}$/i;
/** A shell variable, which refers to an existing value. */
const VARIABLE = /\$\{?[A-Za-z_]\w{0,80}|%[A-Z_]{2,40}%/;
const SCHEME = /([a-z][a-z0-9+.-]{0,20}):\/\/([^\s/?#"'<>\\]{0,300})/gi;
const BARE_SCHEME = /\b(?:file|data|jar|gopher|dict|ldap|php|phar|javascript):/i;
const MAIL = /[\w.+-]@([\w.-]{1,250})/g;
/** An IPv4 address, or a host that only exists on the machine itself or at a provider. */
const NUMBERED_HOST =
  /(?:^|[^\w.])\d{1,3}(?:\.\d{1,3}){3}(?:[^\w.]|$)|\blocalhost\b|\[[0-9a-f:.]{2,45}\]/i;

/**
 * Returns whether a text may name something that exists outside an audit: a path, host, address or
 * variable.
 */
export function mayNameExternal(text: string, known: KnownNames): boolean {
  if (text.length > TEXT_CHARS_MAX) return true;
  return listSpellings(text).some((writing) => mayNamePath(writing) || mayNameHost(writing, known));
}

function mayNamePath(text: string): boolean {
  return (
    STEP_UP.test(text) ||
    FROM_TOP.test(text) ||
    WHOLE_TOP.test(text) ||
    VARIABLE.test(text) ||
    BARE_SCHEME.test(text)
  );
}

function mayNameHost(text: string, { listeners }: KnownNames): boolean {
  if (listeners.some((listener) => text.startsWith(`${listener}/`))) return false;
  const hosts = [...text.matchAll(SCHEME)].map(([, , host = '']) => bareHost(host));
  const mails = [...text.matchAll(MAIL)].map(([, host = '']) => host);
  if ([...hosts, ...mails].some((host) => !RESERVED_HOST.test(host.toLowerCase()))) return true;
  return NUMBERED_HOST.test(text);
}

function bareHost(authority: string): string {
  return authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d{1,5}$/, '');
}

/** Returns a text as written, Unicode-normalised, and as servers decode it. */
function listSpellings(text: string): readonly string[] {
  const found = new Set([text, text.normalize('NFKC')]);
  let current = text;
  for (let round = 0; round < DECODINGS_MAX; round += 1) {
    const decoded = decodeOnce(current);
    if (decoded === current) break;
    found.add(decoded);
    current = decoded;
  }
  return [...found];
}

/** Decodes percent escapes run by run, so that one invalid escape hides nothing. */
function decodeOnce(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2}){1,400}/gi, (part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part.replace(/%[2-7][0-9a-f]/gi, (one) =>
        String.fromCharCode(Number.parseInt(one.slice(1), 16)),
      );
    }
  });
}

/** Commands that change, end or fetch something. */
const COMMANDS = [
  ...[
    'rm',
    'rmdir',
    'mv',
    'cp',
    'dd',
    'ln',
    'tee',
    'touch',
    'mkdir',
    'truncate',
    'shred',
    'install',
  ],
  ...['chmod', 'chown', 'chattr', 'mkfs\\w{0,8}', 'mount', 'umount', 'kill', 'killall', 'pkill'],
  ...['shutdown', 'reboot', 'halt', 'poweroff', 'systemctl', 'service', 'crontab', 'at', 'useradd'],
  ...['usermod', 'passwd', 'su', 'sudo', 'curl', 'wget', 'nc', 'ncat', 'ssh', 'scp', 'ftp', 'git'],
  ...['sh', 'bash', 'zsh', 'ash', 'eval', 'exec', 'source', 'python\\d?', 'perl', 'ruby', 'node'],
  ...[
    'php',
    'docker',
    'kubectl',
    'npm',
    'pip\\d?',
    'apt',
    'apt-get',
    'yum',
    'xargs',
    'find',
    'sed',
  ],
].join('|');
const COMMAND = joinPattern('i', `(?:[;&|\`\\n]|\\$\\()[ \\t]{0,20}(?:${COMMANDS})(?:[ \\t]|$)`);
const REDIRECTION = /(?:^|[^=\-<>])>{1,2}[ \t]{0,20}[\w./~$"']/;
/** Text in angle brackets, as in HTML. */
const TAG = /<[/a-z!|][^<>]{0,400}>/gi;
const STATEMENT = joinPattern(
  'i',
  '\\b(?:drop[ \\t]{1,9}(?:table|database|schema|index|view|user)|truncate[ \\t]{1,9}\\w|',
  'delete[ \\t]{1,9}from|insert[ \\t]{1,9}into|update[ \\t]{1,9}\\S{1,80}[ \\t]{1,9}set|',
  'alter[ \\t]{1,9}(?:table|user|role)|grant[ \\t]{1,9}\\w|revoke[ \\t]{1,9}\\w|xp_cmdshell|',
  'into[ \\t]{1,9}outfile|load_file|pg_sleep|copy[ \\t]{1,9}\\S{1,80}[ \\t]{1,9}(?:to|from))\\b',
);
const CODE = joinPattern(
  'i',
  '\\b(?:child_process|os\\.(?:system|remove|unlink|popen)|shutil|subprocess|rmtree|unlinkSync|',
  'writeFile\\w{0,8}|process\\.(?:exit|kill)|Runtime\\.getRuntime|format[ \\t]{1,9}[a-z]:)',
);

/** Returns whether a text could destroy something if a shell, database or interpreter ran it. */
export function isDestructive(text: string): boolean {
  return (
    COMMAND.test(text) ||
    (/[;&|`$]/.test(text) && REDIRECTION.test(text.replace(TAG, ''))) ||
    STATEMENT.test(text) ||
    CODE.test(text)
  );
}

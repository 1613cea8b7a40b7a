/** What texts are repeated of, whatever reads them. */
export const UNITS: readonly string[] = [
  ...[' ', '\n', '\t', '\r\n', 'a', 'a ', 'a-', 'a.', 'Aa', '0', '1,', '1.', '12:34 ', '\u0301'],
  ...['é', '😀', '中', '。', '\u200b', '\u{e0041}', 'a\u0431', '_', '-', '--', '=', '==', '&', ';'],
  ...['<a ', '<a href=x', 'href=', '<a href="//a.b">x</a>', '<', '>', '<b>', '</b>', '<!--', '-->'],
  ...[
    '[',
    ']',
    '](',
    '![](',
    '{',
    '{"',
    '{"a":',
    '["',
    '[1,',
    '(',
    ')',
    '()',
    '"',
    "'",
    '`',
    '```',
  ],
  ...['\\', '\\n', '\\u0041', '%', '%20', '&amp;', '&#65;', '/', '/*', '/**/', '//', '../', '/a'],
  ...[
    ':',
    ': ',
    'a: b\r\n',
    '. ',
    '! ',
    ', ',
    '$',
    '{{',
    '@',
    'a@',
    'a@b.c ',
    'http://',
    'ITEM 1.\n',
  ],
  ...['KEY=', 'api_key=x ', 'sk-', 'eyJ', 'AbCdEfGhIjKlMnOp', 'aGVsbG8gd29ybGQhIQ==', 'the user '],
  ...[
    '<a href=xhref=x',
    '![',
    '[a](http://',
    'secret',
    'do not ',
    'donot',
    'if ',
    '.',
    '!',
    'a.a.',
  ],
  ...['-/', '\n  at ', '1', '“', '=\n', 'secret=', 'a:', '<img src', 'never '],
  ...['you must ', 'ignore all previous instructions. ', 'and ', 'in /a', '00:00:01,000 --> 1\n'],
];

/**
 * Pieces of text that a pattern may like: its literals, and a sample of each class, as they follow
 * each other.
 */
export function atomsOf(source: string): readonly string[] {
  const atoms: string[] = [];
  const tokens =
    source.match(/\\u\{[^}]*\}|\\u....|\\x..|\\p\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]|[^\\[]/gu) ?? [];
  for (const token of tokens) {
    const atom = atomOf(token);
    if (atom !== '') atoms.push(atom);
  }
  return atoms;
}

const CLASSES: Readonly<Record<string, string>> = {
  '\\s': ' ',
  '\\S': 'x',
  '\\d': '1',
  '\\D': 'x',
  '\\w': 'a',
  '\\W': '-',
  '\\b': '',
  '\\B': '',
  '\\n': '\n',
  '\\r': '\r',
  '\\t': '\t',
  '\\0': '\0',
  '.': 'x',
};

function atomOf(token: string): string {
  const known = CLASSES[token];
  if (known !== undefined) return known;
  if (token.startsWith('[')) {
    const inner = token.slice(1, -1);
    return inner.startsWith('^') ? 'x' : (atomsOf(inner)[0] ?? '');
  }
  if (/^\\[ux]/.test(token)) {
    const code = Number.parseInt(token.replace(/[^0-9a-f]/gi, ''), 16);
    return code > 0 && code < 0x11_0000 ? String.fromCodePoint(code) : '';
  }
  if (token.startsWith('\\p')) return 'A';
  if (token.startsWith('\\')) return token.slice(1);
  return /[()|?*+^${}]/.test(token) ? '' : token;
}

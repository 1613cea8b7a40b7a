import { compileFunction } from 'node:vm';

/** What a document asks for and this conversion has no word for. */
export class Inexpressible extends Error {
  override readonly name = 'Inexpressible';
  /** One of few, so that cases can be counted by it. */
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/** Values of the datamodel by name. */
export type Data = Readonly<Record<string, unknown>>;

/** What an expression reads. */
export interface Scope {
  readonly context: Data;
  readonly event: { readonly type: string; readonly [member: string]: unknown };
}

/** Prefix that XState gives to its own events. */
export const OWN_EVENT = 'xstate.';

const PLATFORM = /\b_(sessionid|ioprocessors)\b|\b(sendid|origin\w*|invokeid|raw)\b|_event\.type/;

/** Compiles the expressions of one document. */
export class Expressions {
  readonly #names: readonly string[];
  readonly #title: string;

  /**
   * @param names - Names that expressions may read and scripts may set.
   * @param title - Value of `_name`.
   */
  constructor(names: readonly string[], title: string) {
    this.#names = names;
    this.#title = title;
  }

  /** @returns Reads the value of a name. */
  named(name: string): (scope: Scope) => unknown {
    if (!this.#names.includes(name)) throw new Inexpressible('a name without data');
    return ({ context }) => context[name];
  }

  value(code: string): (scope: Scope) => unknown {
    const run = this.#compile(`return (${code}\n);`);
    return (scope) => run(...this.#arguments(scope));
  }

  /** @returns Runs the script, and gives the values of all names after it. */
  script(code: string): (scope: Scope) => Data {
    if (/\b(function|var)\b/.test(code)) throw new Inexpressible('a script that declares names');
    const run = this.#compile(`${code}\nreturn {${this.#names.join(', ')}};`);
    return (scope) => definedOf(run(...this.#arguments(scope)) as Data);
  }

  #arguments({ context, event }: Scope): unknown[] {
    const seen = event.type === `${OWN_EVENT}init` ? undefined : eventOf(event);
    return [seen, this.#title, ...this.#names.map((name) => context[name])];
  }

  #compile(code: string): (...values: unknown[]) => unknown {
    if (PLATFORM.test(code)) throw new Inexpressible('variables of the platform');
    if (/\bIn\s*\(/.test(code)) throw new Inexpressible('In() inside an expression');
    try {
      const run: unknown = compileFunction(code, ['_event', '_name', ...this.#names]);
      return run as (...values: unknown[]) => unknown;
    } catch (error) {
      if (error instanceof SyntaxError) throw new Inexpressible('an expression with a fault');
      throw error;
    }
  }
}

/** @returns The values that are not `undefined`: a context is kept as JSON. */
export function definedOf(data: Data): Data {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}

function eventOf({ type, data, output }: Scope['event']) {
  const name = type.startsWith(OWN_EVENT) ? type.slice(OWN_EVENT.length) : type;
  return { name, data: data ?? output };
}

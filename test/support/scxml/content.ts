import { assign, cancel, enqueueActions, not, raise, stateIn } from 'xstate';
import type { Data, Expressions, Scope } from './expressions.ts';
import { definedOf, Inexpressible } from './expressions.ts';
import { childrenOf, type XmlElement } from './xml.ts';

/** An action of XState, whatever its machine. */
export type Action = unknown;

/** A guard of XState, whatever its machine. */
export type Guard = unknown;

const IN = /^(!?)\s*In\('([^']+)'\)$/;
const SCXML_PROCESSOR = 'http://www.w3.org/TR/scxml/#SCXMLEventProcessor';

/** Converts the executable content of one document. */
export class Content {
  readonly #expressions: Expressions;

  constructor(expressions: Expressions) {
    this.#expressions = expressions;
  }

  guard(cond: string): Guard {
    const [, negation, id] = IN.exec(cond.trim()) ?? [];
    if (id !== undefined) {
      const inside = stateIn(`#${keyOf(id)}`);
      return negation === '' ? inside : not(inside);
    }
    const value = this.#expressions.value(cond);
    return (scope: Scope) => Boolean(value(scope));
  }

  actions(block: XmlElement): readonly Action[] {
    return block.children.flatMap((element) => this.#action(element));
  }

  #action(element: XmlElement): readonly Action[] {
    switch (element.name) {
      case 'log':
        return [];
      case 'assign':
      case 'script': {
        const change = this.#change(element);
        return [assign(change as never)];
      }
      case 'raise':
        return [raise({ type: wanted(element, 'event') })];
      case 'send': {
        const { event, options } = this.#sent(element);
        return [raise(event as never, options as never)];
      }
      case 'cancel':
        return [cancel(wanted(element, 'sendid'))];
      case 'if':
      case 'foreach': {
        const step = this.#step(element);
        return [
          enqueueActions(((all: Enqueuing) => {
            const frame = new Frame(all);
            step(frame);
            frame.end();
          }) as never),
        ];
      }
      default:
        throw new Inexpressible(`the action ${element.name}`);
    }
  }

  /** What an assignment or a script changes of the datamodel. */
  #change(element: XmlElement): (scope: Scope) => Data {
    const { name, attributes, text } = element;
    if (name === 'script') {
      if (attributes['src'] !== undefined) throw new Inexpressible('a script in another file');
      return this.#expressions.script(text);
    }
    const location = wanted(element, 'location').trim();
    if (!/^[A-Za-z]\w*$/.test(location)) throw new Inexpressible('an assignment to no name');
    const value = this.#expressions.value(wanted(element, 'expr'));
    return (scope) => definedOf({ [location]: value(scope) });
  }

  #sent(element: XmlElement) {
    const { event, eventexpr, type = SCXML_PROCESSOR, target } = element.attributes;
    const { targetexpr, typeexpr, idlocation, id } = element.attributes;
    if (idlocation !== undefined) throw new Inexpressible('variables of the platform');
    const isElsewhere = targetexpr !== undefined || (target ?? '#_internal') !== '#_internal';
    if (isElsewhere || typeexpr !== undefined || type !== SCXML_PROCESSOR) {
      throw new Inexpressible('an event for another session');
    }
    const literal = event === undefined ? wanted(element, 'eventexpr') : JSON.stringify(event);
    const eventType = this.#expressions.value(eventexpr ?? literal);
    const data = this.data(element);
    const made = (scope: Scope) => ({ type: String(eventType(scope)), ...data(scope) });
    const delay = this.#delay(element);
    if (target !== undefined && delay === undefined) return { event: made, options: {} };
    const named = id === undefined ? {} : { id };
    return { event: made, options: { ...named, delay: delay ?? 0 } };
  }

  /** Without a delay, an event that is sent comes after all that is raised. */
  #delay({ attributes: { delay, delayexpr } }: XmlElement) {
    if (delay !== undefined) return msOf(delay);
    if (delayexpr === undefined) return undefined;
    const value = this.#expressions.value(delayexpr);
    return (scope: Scope) => msOf(String(value(scope)));
  }

  /** Data of an event that is sent, or of a final state: none, a value, or values by name. */
  data(element: XmlElement): (scope: Scope) => { readonly data?: unknown } {
    const [content] = childrenOf(element, 'content');
    if (content !== undefined) {
      if (content.children.length > 0) throw new Inexpressible('XML as data');
      const { expr } = content.attributes;
      const value = this.#expressions.value(expr ?? literalOf(content.text));
      return (scope) => ({ data: value(scope) });
    }
    const names = (element.attributes['namelist'] ?? '').split(/\s+/).filter(Boolean);
    const params = childrenOf(element, 'param').map((param) => {
      const code = param.attributes['expr'] ?? wanted(param, 'location');
      return { name: wanted(param, 'name'), value: this.#expressions.value(code) };
    });
    const listed = names.map((name) => ({ name, value: this.#expressions.named(name) }));
    const members = [...listed, ...params];
    if (members.length === 0) return () => ({});
    return (scope) => ({
      data: Object.fromEntries(members.map(({ name, value }) => [name, value(scope)])),
    });
  }

  /** The same content inside of a condition or a loop, where each step sees the one before. */
  #step(element: XmlElement): Step {
    switch (element.name) {
      case 'log':
        return () => undefined;
      case 'assign':
      case 'script': {
        const change = this.#change(element);
        return (frame) => frame.set(change(frame));
      }
      case 'raise': {
        const event = { type: wanted(element, 'event') };
        return (frame) => frame.raise(event);
      }
      case 'if':
        return this.#condition(element);
      case 'foreach':
        return this.#loop(element);
      default:
        throw new Inexpressible(`${element.name} inside of a condition or a loop`);
    }
  }

  #condition(element: XmlElement): Step {
    const branches: { guard: (frame: Frame) => boolean; readonly steps: Step[] }[] = [];
    branches.push({ guard: this.#check(wanted(element, 'cond')), steps: [] });
    for (const child of element.children) {
      if (child.name === 'else') branches.push({ guard: () => true, steps: [] });
      else if (child.name === 'elseif') {
        branches.push({ guard: this.#check(wanted(child, 'cond')), steps: [] });
      } else branches.at(-1)?.steps.push(this.#step(child));
    }
    return (frame) => {
      const branch = branches.find(({ guard }) => guard(frame));
      for (const step of branch?.steps ?? []) step(frame);
    };
  }

  #check(cond: string): (frame: Frame) => boolean {
    const guard = this.guard(cond);
    if (IN.test(cond.trim())) return (frame) => frame.check(guard);
    return (frame) => (guard as (scope: Scope) => boolean)(frame);
  }

  #loop(element: XmlElement): Step {
    const array = this.#expressions.value(wanted(element, 'array'));
    const item = wanted(element, 'item');
    const { index } = element.attributes;
    const steps = element.children.map((child) => this.#step(child));
    return (frame) => {
      const items = array(frame);
      if (!Array.isArray(items)) throw new TypeError('the loop has no array');
      for (const [at, each] of [...(items as readonly unknown[])].entries()) {
        frame.set({ [item]: each });
        if (index !== undefined) frame.set({ [index]: at });
        for (const step of steps) step(frame);
      }
    };
  }
}

/** @returns The name of a state in a machine, where a dot would be a path. */
export function keyOf(id: string): string {
  return id.replaceAll('.', '_');
}

/** @returns The attribute, which the element must have. */
export function wanted({ name, attributes }: XmlElement, attribute: string): string {
  const value = attributes[attribute];
  if (value === undefined) throw new Inexpressible(`${name} without ${attribute}`);
  return value;
}

/** @returns Code of what the text of an element stands for: JSON, or a text in one line. */
export function literalOf(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return JSON.stringify(text.replace(/\s+/g, ' '));
  }
}

type Step = (frame: Frame) => void;

interface Enqueuing extends Scope {
  readonly check: (guard: never) => boolean;
  readonly enqueue: {
    readonly assign: (changes: never) => void;
    readonly raise: (event: never) => void;
  };
}

/** Values while a condition or a loop runs. */
class Frame implements Scope {
  readonly event: Scope['event'];
  context: Data;
  readonly #all: Enqueuing;
  readonly #raised: unknown[] = [];

  constructor(all: Enqueuing) {
    this.#all = all;
    this.event = all.event;
    this.context = all.context;
  }

  set(changes: Data): void {
    this.context = { ...this.context, ...changes };
  }

  raise(event: unknown): void {
    this.#raised.push(event);
  }

  check(guard: Guard): boolean {
    return this.#all.check(guard as never);
  }

  end(): void {
    const { enqueue } = this.#all;
    enqueue.assign(this.context as never);
    for (const event of this.#raised) enqueue.raise(event as never);
  }
}

function msOf(delay: string): number {
  const [, count, unit] = /^(\d*\.?\d+)(ms|s)$/.exec(delay.trim()) ?? [];
  if (count === undefined) throw new Inexpressible('a delay without a unit');
  return Number(count) * (unit === 's' ? 1_000 : 1);
}

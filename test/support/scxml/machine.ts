import type { AnyStateMachine } from 'xstate';
import { setup } from 'xstate';
import { Content, keyOf, literalOf, wanted } from './content.ts';
import { type Data, definedOf, Expressions, Inexpressible, OWN_EVENT } from './expressions.ts';
import { childrenOf, parseXml, type XmlElement } from './xml.ts';

const STATES = ['state', 'parallel', 'final', 'history'];

/**
 * Converts a document of SCXML to a machine of XState.
 *
 * @throws {Inexpressible} With a reason to count by.
 */
export function machineOf(document: string): AnyStateMachine {
  const root = parseXml(document);
  refuse(root);
  const expressions = new Expressions(namesOf(root), root.attributes['name'] ?? '');
  const context = contextOf(root, expressions);
  const config = new States(new Content(expressions)).root(root);
  const machine: unknown = setup({}).createMachine({
    id: '(machine)',
    context,
    ...config,
  } as never);
  return machine as AnyStateMachine;
}

type Config = Readonly<Record<string, unknown>>;

class States {
  readonly #content: Content;
  #nameless = 0;

  constructor(content: Content) {
    this.#content = content;
  }

  root(root: XmlElement): Config {
    return this.#compound(root, '(root)');
  }

  #state(element: XmlElement): readonly [string, Config] {
    const { name, attributes } = element;
    this.#nameless += attributes['id'] === undefined ? 1 : 0;
    const key = keyOf(attributes['id'] ?? `nameless ${this.#nameless}`);
    if (name === 'history') return [key, { id: key, ...this.#history(element) }];
    const own = {
      id: key,
      entry: childrenOf(element, 'onentry').flatMap((block) => this.#content.actions(block)),
      exit: childrenOf(element, 'onexit').flatMap((block) => this.#content.actions(block)),
      ...this.#transitions(element),
    };
    if (name === 'final') return [key, { ...own, type: 'final', ...this.#output(element) }];
    if (childrenOf(element, ...STATES).length === 0) return [key, own];
    if (name === 'parallel') return [key, { ...own, type: 'parallel', states: this.#all(element) }];
    return [key, { ...own, ...this.#compound(element, key) }];
  }

  #all(element: XmlElement): Config {
    return Object.fromEntries(childrenOf(element, ...STATES).map((child) => this.#state(child)));
  }

  /**
   * XState enters a child first. Where a document begins deeper or at several states, an added
   * child leads there at once.
   */
  #compound(element: XmlElement, key: string): Config {
    const states = this.#all(element);
    const { targets, actions } = this.#initial(element);
    const [target = Object.keys(states)[0] ?? ''] = targets;
    if (targets.length < 2 && target in states) return { initial: { target, actions }, states };
    const first = `initial of ${key}`;
    const always = { target: targets.map((each) => `#${each}`), actions };
    return { initial: first, states: { ...states, [first]: { id: first, always } } };
  }

  #initial(element: XmlElement) {
    const [transition] = childrenOf(element, 'initial').flatMap((initial) => initial.children);
    if (transition === undefined) {
      return { targets: targetsOf(element.attributes['initial']), actions: [] };
    }
    const targets = targetsOf(transition.attributes['target']);
    return { targets, actions: this.#content.actions(transition) };
  }

  #history(element: XmlElement): Config {
    const config = { type: 'history', history: element.attributes['type'] ?? 'shallow' };
    const [transition] = childrenOf(element, 'transition');
    if (transition === undefined) return config;
    if (this.#content.actions(transition).length > 0) {
      throw new Inexpressible('actions in the default of a history state');
    }
    return { ...config, target: namedTargets(transition.attributes['target']) };
  }

  #output(element: XmlElement): Config {
    const [donedata] = childrenOf(element, 'donedata');
    if (donedata === undefined) return {};
    const data = this.#content.data(donedata);
    return { output: (scope: never) => data(scope).data };
  }

  /**
   * In a document the first transition that matches is taken; XState looks at the longest name
   * first. Each name therefore lists all transitions that match its events, in their order.
   */
  #transitions(element: XmlElement): Config {
    const rows = childrenOf(element, 'transition').map((transition) => ({
      names: (transition.attributes['event'] ?? '').split(/\s+/).filter(Boolean).map(plainName),
      config: this.#transition(element, transition),
    }));
    const names = new Set(rows.flatMap((row) => row.names));
    const on = [...names].map((name) => [
      keyOfName(name),
      rows.filter((row) => row.names.some((each) => covers(each, name))).map((row) => row.config),
    ]);
    const always = rows.filter((row) => row.names.length === 0).map((row) => row.config);
    return { on: Object.fromEntries(on), ...(always.length === 0 ? {} : { always }) };
  }

  #transition(source: XmlElement, element: XmlElement): Config {
    const { target, cond, type } = element.attributes;
    const guard = cond === undefined ? {} : { guard: this.#content.guard(cond) };
    const config = { ...guard, actions: this.#content.actions(element) };
    if (target === undefined) return config;
    const below = new Set(idsBelow(source));
    const isCompound = source.name === 'state' && below.size > 0;
    const isInside = targetsOf(target).every((each) => below.has(each));
    const isInternal = type === 'internal' && isCompound && isInside;
    return { ...config, target: namedTargets(target), reenter: !isInternal };
  }
}

/** What is refused wherever it stands. */
function refuse(element: XmlElement): void {
  const { name, attributes, children } = element;
  if (name === 'invoke') throw new Inexpressible('an invocation');
  if (attributes['binding'] === 'late') throw new Inexpressible('late binding');
  const { event = '', target } = attributes;
  if (name === 'transition' && event.startsWith('error') && target !== 'fail') {
    throw new Inexpressible('error events of the platform');
  }
  for (const child of children) refuse(child);
}

function namesOf({ name, attributes, children }: XmlElement): readonly string[] {
  const own = name === 'data' ? [attributes['id']] : [];
  const loop = name === 'foreach' ? [attributes['item'], attributes['index']] : [];
  const names = [...own, ...loop].filter((each) => each !== undefined);
  const all = [...names, ...children.flatMap((child) => namesOf(child))];
  return [...new Set(all)].filter((each) => /^[A-Za-z]\w*$/.test(each));
}

/** Values at the start; those of inner states too, as early binding has it. */
function contextOf(root: XmlElement, expressions: Expressions): Data {
  let context: Data = {};
  const event = { type: `${OWN_EVENT}init` };
  for (const data of dataOf(root)) {
    if (data.attributes['src'] !== undefined) throw new Inexpressible('data in another file');
    if (data.children.length > 0) throw new Inexpressible('XML as data');
    const code = data.attributes['expr'] ?? (data.text === '' ? undefined : literalOf(data.text));
    if (code === undefined) continue;
    const value = expressions.value(code)({ context, event });
    context = definedOf({ ...context, [wanted(data, 'id')]: value });
  }
  for (const script of childrenOf(root, 'script')) {
    if (script.attributes['src'] !== undefined) {
      throw new Inexpressible('a script in another file');
    }
    context = expressions.script(script.text)({ context, event });
  }
  return context;
}

function dataOf(element: XmlElement): readonly XmlElement[] {
  return element.children.flatMap((child) => (child.name === 'data' ? [child] : dataOf(child)));
}

function idsBelow(element: XmlElement): readonly string[] {
  return childrenOf(element, ...STATES).flatMap((child) => [
    ...(child.attributes['id'] === undefined ? [] : [keyOf(child.attributes['id'])]),
    ...idsBelow(child),
  ]);
}

function targetsOf(names: string | undefined): readonly string[] {
  return (names ?? '').split(/\s+/).filter(Boolean).map(keyOf);
}

function namedTargets(names: string | undefined): readonly string[] {
  return targetsOf(names).map((each) => `#${each}`);
}

/** `error`, `error.` and `error.*` are one name. */
function plainName(name: string): string {
  const plain = name.replace(/\.\*?$/, '');
  return plain.startsWith('done.') ? `${OWN_EVENT}${plain}` : plain;
}

function keyOfName(name: string): string {
  return name === '*' ? '*' : `${name}.*`;
}

function covers(wide: string, narrow: string): boolean {
  return wide === '*' || wide === narrow || narrow.startsWith(`${wide}.`);
}

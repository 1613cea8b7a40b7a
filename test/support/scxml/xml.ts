import { Parser } from 'htmlparser2';

/** An element of a document, without comments. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Text that stands directly in the element, trimmed. */
  readonly text: string;
}

/** @returns The root element. */
export function parseXml(text: string): XmlElement {
  const top = open('', {});
  const path = [top];
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        const element = open(localName(name), attributes);
        path.at(-1)?.children.push(element);
        path.push(element);
      },
      ontext: (part) => {
        const element = path.at(-1);
        if (element !== undefined) element.parts.push(part);
      },
      onclosetag: () => {
        path.pop();
      },
    },
    { xmlMode: true },
  );
  parser.end(text);
  const [root] = top.children;
  if (root === undefined) throw new Error('the document has no element');
  return closed(root);
}

/** @returns The children of these names. */
export function childrenOf({ children }: XmlElement, ...names: string[]): readonly XmlElement[] {
  return children.filter(({ name }) => names.includes(name));
}

interface OpenElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: OpenElement[];
  readonly parts: string[];
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function open(name: string, attributes: Readonly<Record<string, string>>): OpenElement {
  return { name, attributes, children: [], parts: [] };
}

function closed({ name, attributes, children, parts }: OpenElement): XmlElement {
  return { name, attributes, children: children.map(closed), text: parts.join('').trim() };
}

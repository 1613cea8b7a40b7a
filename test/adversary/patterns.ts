import ts from 'typescript';
import { nodesOf, type SourceFile } from '../tidy/files.ts';

/** A regular expression that stands in the sources. */
export interface FoundPattern {
  readonly file: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
  /** True where it is put together from parts that only exist at run time. */
  readonly isOpen: boolean;
}

/** Every regular expression of a file: literals, `new RegExp(…)` and `joinPattern(…)`. */
export function patternsIn(file: SourceFile): readonly FoundPattern[] {
  const texts = constantsOf(file);
  return [...nodesOf(file.tree)].flatMap((node): readonly FoundPattern[] => {
    const line = file.tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    const found = { file: file.path, line };
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      const [source, flags] = [node.text.slice(1, end), node.text.slice(end + 1)];
      return [{ ...found, source, flags, isOpen: false }];
    }
    const made = partsOf(node, texts);
    if (made === undefined) return [];
    const { sources, flags } = made;
    const isOpen = sources.includes(undefined) || flags === undefined;
    return [{ ...found, source: sources.join(''), flags: flags ?? '', isOpen }];
  });
}

interface Made {
  readonly sources: readonly (string | undefined)[];
  readonly flags: string | undefined;
}

function partsOf(node: ts.Node, texts: ReadonlyMap<string, string>): Made | undefined {
  const read = (one: ts.Node | undefined) => (one === undefined ? '' : textOf(one, texts));
  if (ts.isCallExpression(node) && node.expression.getText() === 'joinPattern') {
    const [flags, ...pieces] = node.arguments;
    return { sources: pieces.map(read), flags: read(flags) };
  }
  const isMade = ts.isNewExpression(node) || ts.isCallExpression(node);
  if (!isMade || node.expression.getText() !== 'RegExp') return undefined;
  const [source, flags] = node.arguments ?? [];
  return { sources: [read(source)], flags: read(flags) };
}

/** Texts that a file gives a name; a list that is joined counts as its text. */
function constantsOf({ tree }: SourceFile): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const node of nodesOf(tree)) {
    if (!ts.isVariableDeclaration(node) || node.initializer === undefined) continue;
    const text = textOf(node.initializer, texts);
    if (text !== undefined) texts.set(node.name.getText(), text);
  }
  return texts;
}

function textOf(node: ts.Node, texts: ReadonlyMap<string, string>): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isIdentifier(node)) return texts.get(node.text);
  if (ts.isTaggedTemplateExpression(node)) return rawText(node);
  if (ts.isTemplateExpression(node)) return templateText(node, texts);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    return joined([node.left, node.right].map((one) => textOf(one, texts)));
  }
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { expression: list, name } = node.expression;
    const [between] = node.arguments;
    if (name.text !== 'join' || !ts.isArrayLiteralExpression(list) || between === undefined) {
      return undefined;
    }
    return joined(
      list.elements.map((one) => textOf(one, texts)),
      textOf(between, texts),
    );
  }
  return undefined;
}

/** A text behind `String.raw`, without parts that only exist at run time. */
function rawText({ tag, template }: ts.TaggedTemplateExpression): string | undefined {
  const isRaw = tag.getText() === 'String.raw' && ts.isNoSubstitutionTemplateLiteral(template);
  return isRaw ? template.getText().slice(1, -1) : undefined;
}

function templateText(node: ts.TemplateExpression, texts: ReadonlyMap<string, string>) {
  return joined([
    node.head.text,
    ...node.templateSpans.flatMap(({ expression, literal }) => [
      textOf(expression, texts),
      literal.text,
    ]),
  ]);
}

function joined(parts: readonly (string | undefined)[], between: string | undefined = '') {
  return parts.includes(undefined) || between === undefined ? undefined : parts.join(between);
}

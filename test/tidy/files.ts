import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** A source file with its syntax tree. */
export interface SourceFile {
  /** Path from the checkout, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

/** A rule: one line `path:line: reason` for each place that breaks it. */
export type Rule = (file: SourceFile) => readonly string[];

/** Reads every file below a folder whose path fits. */
export function readFiles(folder: string, fits: RegExp): readonly SourceFile[] {
  return [...walk(folder)]
    .filter((path) => fits.test(path))
    .map((path) => parse(path, readFileSync(path, 'utf8')));
}

/** Parses a text as if it were the file at `path`. */
export function parse(path: string, text: string): SourceFile {
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true) };
}

/** Writes a finding at a position of the text. */
export function at(file: SourceFile, position: number, reason: string): string {
  return `${file.path}:${file.tree.getLineAndCharacterOfPosition(position).line + 1}: ${reason}`;
}

/** All nodes below a node, parents first. */
export function nodesOf(node: ts.Node): readonly ts.Node[] {
  const known = KNOWN.get(node);
  if (known !== undefined) return known;
  const nodes: ts.Node[] = [];
  const visit = (child: ts.Node) => {
    nodes.push(child);
    ts.forEachChild(child, visit);
  };
  ts.forEachChild(node, visit);
  if (ts.isSourceFile(node)) KNOWN.set(node, nodes);
  return nodes;
}

/** Many rules go through the same file. */
const KNOWN = new WeakMap<ts.Node, readonly ts.Node[]>();

function* walk(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) yield path;
    else if (entry.name !== 'node_modules') yield* walk(path);
  }
}

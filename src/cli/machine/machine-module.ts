import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AppError } from '../../domain/common/error.ts';
import type { MachineGraph } from '../../domain/inspect/graph.ts';
import { MACHINES, type RegisteredMachine } from '../../machines/common/registry.ts';
import { buildMachineGraph } from '../../machines/graph/machine-graph.ts';

type Machine = RegisteredMachine['machine'];

/**
 * Returns the graph of a registered kind, or of a machine that a module exports: `order.mjs`, or
 * `order.mjs#orderMachine` if it exports several.
 *
 * @throws {AppError} `CONFIG_INVALID` with the received and the allowed names.
 */
export async function loadGraph(name: string): Promise<MachineGraph> {
  const known = MACHINES.find(({ kind }) => kind === name);
  if (known !== undefined) return buildMachineGraph(known);
  if (!/\.[cm]?[jt]s(#|$)/.test(name)) {
    const kinds = MACHINES.map(({ kind }) => kind).join(', ');
    const message =
      `The machine is ${JSON.stringify(name)}; it must be one of ${kinds}, ` +
      'or a file such as order.mjs#machine.';
    throw new AppError('CONFIG_INVALID', { message, data: { machine: name } });
  }
  const { machine } = await loadMachine(name);
  const version = Number(machine.version);
  return buildMachineGraph({
    kind: machine.id,
    version: Number.isSafeInteger(version) ? version : 1,
    title: machine.id,
    machine,
  });
}

/** A machine from a module, and all exports of the module. */
export interface ExportedMachine {
  readonly machine: Machine;
  readonly module: Module;
}

/**
 * Loads a machine from a module, named as in {@link loadGraph}.
 *
 * @throws {AppError} `CONFIG_INVALID` with the received and the allowed names.
 */
export async function loadMachine(name: string): Promise<ExportedMachine> {
  const [file = '', wanted] = name.split(/#(?=[^#]*$)/);
  const module = await importModule(file);
  return { machine: selectMachine(file, wanted, module), module };
}

function selectMachine(file: string, wanted: string | undefined, found: Module): Machine {
  const names = Object.keys(found).filter((each) => isMachine(found[each]));
  const only = names.includes('default') || names.length === 1 ? names : [];
  const name = wanted ?? (only.includes('default') ? 'default' : only[0]);
  const machine = name === undefined ? undefined : found[name];
  if (isMachine(machine)) return machine;
  const asked = wanted === undefined ? '' : `, and not ${JSON.stringify(wanted)}`;
  const has = names.length === 0 ? 'no machine' : `the machines ${names.join(', ')}`;
  const isOpen = wanted === undefined && names.length > 1;
  const message = isOpen
    ? `${file} exports ${names.join(', ')}. Choose one, such as ${file}#${names[0]}.`
    : `${file} exports ${has}${asked}.`;
  throw new AppError('CONFIG_INVALID', { message, data: { file, machines: names } });
}

type Module = Readonly<Record<string, unknown>>;

async function importModule(file: string): Promise<Module> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as Module;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `The module ${file} cannot be loaded: ${why}`;
    throw new AppError('CONFIG_INVALID', { message, data: { file }, cause });
  }
}

function isMachine(value: unknown): value is Machine {
  if (typeof value !== 'object' || value === null) return false;
  return 'root' in value && 'implementations' in value && 'transition' in value;
}

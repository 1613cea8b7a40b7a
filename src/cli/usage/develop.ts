import type { Usage } from '../common/usage.ts';
import { JSON_LINE } from './shared.ts';

const group = 'Develop';

const MACHINE_NAME = { about: 'Kind of a machine, or a module such as order.mjs#machine' };

/** What the commands under this heading take. */
export const DEVELOP = {
  tour: {
    group,
    about: 'Run a guided demo against a real server.',
    examples: ['stoa tour'],
  },
  machine: {
    group,
    about: 'List the machines, or export the chart of one.',
    examples: ['stoa machine list', 'stoa machine export job --out job.svg'],
  },
  machineList: {
    about: 'List the machines, with their versions and sizes.',
    examples: ['stoa machine list'],
  },
  machineExport: {
    about: 'Export the chart of a machine.',
    args: { machine: MACHINE_NAME },
    flags: {
      format: {
        value: 'format',
        default: 'svg',
        allowed: ['svg', 'mermaid', 'json'],
        about: 'Format of the chart',
      },
      width: {
        value: 'width',
        default: 'wide',
        allowed: ['wide', 'narrow'],
        about: 'Width of an SVG chart; narrow fits a phone',
      },
      out: { value: 'file', about: 'File to write; standard output if omitted' },
    },
    examples: ['stoa machine export job --format mermaid', 'stoa machine export order.mjs#machine'],
  },
  paths: {
    group,
    about: 'List the paths through a machine.',
    args: { machine: MACHINE_NAME },
    flags: {
      how: {
        value: 'choice',
        default: 'transitions',
        allowed: ['transitions', 'shortest', 'simple', 'random'],
        about: 'Which paths',
      },
      seed: { value: 'number', about: 'Seed of random paths, a whole number from 0' },
      json: JSON_LINE,
      count: { about: 'Print only the counts' },
    },
    examples: ['stoa paths debate', 'stoa paths order.mjs#machine --how random --seed 7'],
  },
} as const satisfies Readonly<Record<string, Usage>>;

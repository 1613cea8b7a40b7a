import type { Usage } from '../common/usage.ts';
import { DATA, JSON_LINE } from './shared.ts';

const group = 'Audit and verify';

/** What the commands under this heading take. */
export const AUDIT = {
  verify: {
    group,
    about:
      'Verify a proof file, signed answer or panel transcript. Needs no server. ' +
      'The first line is the answer; the exit code is 1 if the answer is no.',
    args: { file: { about: 'Proof file, saved answer, audit report or transcript' } },
    flags: {
      key: { value: 'key', about: 'Key of the proof log, name+id+key from /v1/proofs/key' },
      witness: {
        value: 'key',
        isMultiple: true,
        about: 'Key of a witness that must have cosigned, as `stoa witness` prints it; repeatable',
      },
      rpc: { value: 'url', about: 'JSON-RPC address of the chain on which to check the anchor' },
      signer: { value: '0x…', about: 'Address that must have signed' },
      deliverable: { value: 'file', about: 'File to compare with the sealed one' },
      root: { value: 'hex', about: 'Root of the transcript, 64 hex digits' },
    },
    examples: ['stoa verify proof.json --key "$(cat key.txt)"', 'stoa verify answer.json'],
  },
  auditBooks: {
    group,
    about:
      'Check from chain logs and public events that the books balance. ' +
      'The exit code is 1 if they do not, or if data is missing.',
    flags: {
      rpc: { value: 'url', isRequired: true, about: 'JSON-RPC address of the chain' },
      events: { value: 'url', isRequired: true, about: 'Address of the server with the events' },
      escrow: { value: '0x…', about: 'Address of the escrow contract' },
      'from-block': { value: 'number', default: '0', about: 'First block to read' },
      wait: { value: 'seconds', default: '10', about: 'How long to wait for late events' },
      json: JSON_LINE,
    },
    examples: ['stoa audit-books --rpc http://127.0.0.1:8545 --events http://127.0.0.1:8402'],
  },
  reputation: {
    group,
    about:
      'Recompute a track record from public events. With --compare, the exit code is 1 if the ' +
      'answer has another record.',
    args: { subject: { about: 'Wallet, or name of an agent' } },
    flags: {
      events: { value: 'url', about: 'Address of the server, instead of --data' },
      data: { ...DATA, about: 'Data directory of the running server' },
      'as-of': { value: 'number', about: 'Read only this many events; all if omitted' },
      compare: { value: 'file', about: 'Saved answer to compare with' },
      json: JSON_LINE,
    },
    examples: [
      'stoa reputation 0x52908400098527886E0F7030069857D2E4169EE7',
      'stoa reputation alpha --events http://127.0.0.1:8402 --compare answer.json',
    ],
  },
  report: {
    group,
    about:
      'Render a saved report or answer as one HTML page. ' +
      'The exit code is 1 if its signature does not match.',
    args: { file: { about: 'JSON file of the report or answer' } },
    flags: {
      html: { value: 'file', about: 'Page to write; standard output if omitted' },
      force: { about: 'Overwrite the page' },
      signer: { value: '0x…', about: 'Address that must have signed' },
    },
    examples: ['stoa report answer.json --html report.html'],
  },
  witness: {
    group,
    about:
      'Check a proof log for consistency and cosign it. Runs until you stop it, or until a fork.',
    flags: {
      log: { value: 'url', isRequired: true, about: 'Address of the server with the log' },
      'key-file': {
        value: 'file',
        isRequired: true,
        about: 'Key of the witness; created if missing',
      },
      'log-key': { value: 'key', about: 'Key of the log, name+id+key from /v1/proofs/key' },
      name: { value: 'name', about: 'Name of the witness, for a new key' },
      'every-s': { value: 'seconds', default: '60', about: 'Time between checks, 1 to 86400' },
      once: { about: 'Check once, and exit' },
    },
    examples: ['stoa witness --log http://127.0.0.1:8402 --key-file witness.json --once'],
  },
} as const satisfies Readonly<Record<string, Usage>>;

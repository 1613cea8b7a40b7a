import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Told } from './connect-world.ts';
import { cliPath } from './real-server.ts';

/** A command that speaks MCP over stdio. */
export interface Command {
  readonly command: string;
  readonly args: string[];
}

/** An unmodified client of either generation, with the bridge that it started. */
export interface SpawnedPeer {
  readonly pid: number;
  /** Everything that the bridge wrote to its error stream. */
  readonly errors: () => string;
  readonly progress: string[];
  names(): Promise<string[]>;
  call(name: string, args: object): Promise<Told>;
  close(): Promise<void>;
}

const INFO = { name: 'plain', version: '1' };
const CALL_MS = { timeout: 90_000, resetTimeoutOnProgress: true, maxTotalTimeout: 180_000 };

/** The command of a bridge. */
export async function connectCommand(
  url: string,
  dataDir: string,
  flags: readonly string[] = [],
): Promise<Command> {
  const args = [await cliPath(), 'connect', url, '--data', dataDir, ...flags];
  return { command: process.execPath, args };
}

/** Starts a command under a client of the first generation. */
export async function spawnV1(command: Command): Promise<SpawnedPeer> {
  const transport = new StdioV1({ ...command, stderr: 'pipe' });
  const client = new ClientV1(INFO, {});
  const errors = gather(transport.stderr);
  await client.connect(transport);
  const progress: string[] = [];
  const onprogress = ({ message }: { message?: string | undefined }) =>
    void progress.push(message ?? '');
  return {
    pid: transport.pid ?? 0,
    errors,
    progress,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) =>
      (await client.callTool({ name, arguments: { ...args } }, undefined, {
        ...CALL_MS,
        onprogress,
      })) as unknown as Told,
    close: () => client.close(),
  };
}

/** Starts a command under a client of the second generation. */
export async function spawnV2(
  command: Command,
  mode: 'legacy' | 'auto' | { pin: '2026-07-28' },
  person?: (message: string) => Promise<Record<string, unknown>>,
): Promise<SpawnedPeer> {
  const transport = new StdioV2({ ...command, stderr: 'pipe' });
  const client = new ClientV2(INFO, {
    versionNegotiation: { mode },
    capabilities: person === undefined ? {} : { elicitation: {} },
  });
  if (person !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) =>
      person(params.message).then((answer) => answer as { action: 'accept' }),
    );
  }
  const errors = gather(transport.stderr);
  await client.connect(transport);
  const progress: string[] = [];
  const onprogress = ({ message }: { message?: string | undefined }) =>
    void progress.push(message ?? '');
  return {
    pid: transport.pid ?? 0,
    errors,
    progress,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) =>
      (await client.callTool(
        { name, arguments: { ...args } },
        { ...CALL_MS, onprogress },
      )) as unknown as Told,
    close: () => client.close(),
  };
}

/** The private key of a data directory's wallet, to look for it where it must not be. */
export function walletKey(dataDir: string): string {
  return readFileSync(join(dataDir, 'connect', 'wallet.key'), 'utf8').trim();
}

/** A port that is free now, for a server that starts again on it. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise<void>((done) => server.close(() => done()));
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

function gather(stream: unknown): () => string {
  let text = '';
  const readable = stream as { on(event: 'data', run: (chunk: Buffer) => void): void } | null;
  readable?.on('data', (chunk) => {
    text += chunk.toString('utf8');
  });
  return () => text;
}

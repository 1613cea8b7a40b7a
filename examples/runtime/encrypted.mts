// Encrypted payloads: npm install @stoa/runtime xstate lmdb
//
// Run it twice: the second run finds the patient. No file of the folder contains the diagnosis.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { aesGcmCodec, durable } from '@stoa/runtime';
import { setup } from 'xstate';

interface Patient {
  readonly diagnosis: string;
}

const patient = setup({
  types: {} as { context: Patient; input: Patient },
}).createMachine({ context: ({ input }) => input });
// A real program gets its keys from a vault.
if (!existsSync('key-1')) writeFileSync('key-1', randomBytes(32), { mode: 0o600 });

// [guide encrypted
const codec = aesGcmCodec({ keys: { 'key-1': readFileSync('key-1') }, current: 'key-1' });
const clinic = await durable({ path: './data', codec, actors: { patient } });
// guide]
const p = await clinic.patient.start('1', { diagnosis: 'SECRET' });
process.stdout.write(`${(await p.query()).context.diagnosis}\n`);
await clinic.close();
process.stdout.write(`on disk: ${readFileSync('data/data.mdb').includes('SECRET')}\n`);

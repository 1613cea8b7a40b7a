import type { AnyStateMachine } from 'xstate';
import { controlMachine, version as controlVersion } from './control.ts';
import { debateMachine, version as debateVersion } from './debate.ts';
import { jobMachine, version as jobVersion } from './job.ts';
import { paymentMachine, version as paymentVersion } from './payment.ts';

/** A machine as tests, documents and the console list it. */
export interface RegisteredMachine {
  readonly kind: string;
  readonly version: number;
  readonly machine: AnyStateMachine;
  readonly title: string;
}

/** Every machine, in the order in which they are shown. */
export const MACHINES: readonly RegisteredMachine[] = [
  { kind: 'debate', version: debateVersion, machine: debateMachine, title: 'Debate' },
  { kind: 'payment', version: paymentVersion, machine: paymentMachine, title: 'Payment' },
  { kind: 'job', version: jobVersion, machine: jobMachine, title: 'Escrowed job' },
  { kind: 'control', version: controlVersion, machine: controlMachine, title: 'Control' },
];

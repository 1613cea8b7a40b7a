import { hostContract } from './host.contract.ts';

hostContract('uws');
hostContract('node');

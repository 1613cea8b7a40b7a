import { memoryPaymentChain } from '../../../src/providers/chain/memory.ts';
import { paymentChainContract } from './payment-chain.contract.ts';

paymentChainContract('memory', async () => memoryPaymentChain());

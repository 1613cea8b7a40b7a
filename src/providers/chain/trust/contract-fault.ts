import { ESCROW_STATES } from '../../../domain/chain/trust-chain.ts';
import type { ErrorCode } from '../../../domain/common/error.ts';
import type { PaymentFailure } from '../../../domain/payment/payment-chain.ts';

interface FaultTemplate {
  readonly code: ErrorCode;
  readonly message: string;
  readonly data?: (args: readonly unknown[]) => Readonly<Record<string, unknown>>;
}

const due: FaultTemplate['data'] = ([seconds]) => ({ due_s: Number(seconds) });
const amount: FaultTemplate['data'] = ([micro]) => ({ amount: String(micro) });

/** Contract errors by name, with the code and message for the caller. */
const FAULT_TEMPLATES: Readonly<Record<string, FaultTemplate>> = {
  WrongState: {
    code: 'MOVE_UNAVAILABLE',
    message: 'This move is not allowed in the current state of the job on the chain.',
    data: ([state]) => ({ state: ESCROW_STATES[Number(state)] ?? String(state) }),
  },
  TooEarly: { code: 'MOVE_UNAVAILABLE', message: 'It is too early for this move.', data: due },
  TooLate: { code: 'MOVE_UNAVAILABLE', message: 'This move came too late.', data: due },
  NotTheParty: {
    code: 'MOVE_UNSIGNED',
    message: 'The signature is not from the party that must sign this move.',
    data: ([party]) => ({ party: String(party).toLowerCase() }),
  },
  NotTheOperator: {
    code: 'CONFIG_INVALID',
    message: 'The escrow belongs to a different operator.',
    data: ([caller]) => ({ operator: String(caller).toLowerCase() }),
  },
  TermsInvalid: {
    code: 'INPUT_INVALID',
    message: 'The escrow rejects these terms. Check the amount, the parties and the delivery time.',
  },
  JobKnown: {
    code: 'PAYMENT_REPLAYED',
    message: 'The job is already in the escrow.',
    data: ([key]) => ({ key: String(key) }),
  },
  MoneyMissing: {
    code: 'PAYMENT_REPLAYED',
    message: 'The escrow has no money of this authorization, or it belongs to another job.',
    data: amount,
  },
  NotLarger: {
    code: 'SEQ_CONFLICT',
    message: 'The log is already anchored at this size or a larger one.',
    data: ([size, anchored]) => ({ received: Number(size), anchored: Number(anchored) }),
  },
  ERC721NonexistentToken: {
    code: 'PASSPORT_UNKNOWN',
    message: 'The registry has no agent with this id.',
    data: ([agentId]) => ({ agent_id: String(agentId) }),
  },
  NotAuthorized: { code: 'NOT_THE_PARTY', message: 'The agent belongs to another owner.' },
  ERC721InsufficientApproval: {
    code: 'NOT_THE_PARTY',
    message: 'The agent belongs to another owner.',
  },
  ERC721IncorrectOwner: { code: 'NOT_THE_PARTY', message: 'The agent belongs to another owner.' },
  ERC721InvalidReceiver: {
    code: 'INPUT_INVALID',
    message: 'This address cannot own an agent.',
    data: ([receiver]) => ({ received: String(receiver).toLowerCase() }),
  },
  SelfFeedback: {
    code: 'NOT_THE_PARTY',
    message: 'The registry refuses feedback from the account that owns the agent.',
    data: ([client]) => ({ client: String(client).toLowerCase() }),
  },
  ReservedKey: { code: 'INPUT_INVALID', message: 'This metadata key is reserved.' },
  WalletMissing: { code: 'INPUT_INVALID', message: 'The wallet must not be the zero address.' },
  SignatureExpired: {
    code: 'WALLET_EXPIRED',
    message: 'The wallet signature has expired.',
    data: due,
  },
  DeadlineTooFar: {
    code: 'WALLET_EXPIRED',
    message: 'The deadline of the wallet signature is more than 5 minutes ahead.',
    data: due,
  },
  WalletSignatureInvalid: {
    code: 'WALLET_FORGED',
    message: 'The signature is not from this wallet.',
    data: ([wallet]) => ({ wallet: String(wallet).toLowerCase() }),
  },
};

/** Turns a contract error into a fault. Returns `undefined` for an unknown error. */
export function toContractFault(
  name: string,
  args: readonly unknown[],
): PaymentFailure | undefined {
  const wording = FAULT_TEMPLATES[name];
  if (wording === undefined) return undefined;
  const { code, message, data } = wording;
  return { code, message, data: { ...data?.(args), reason: name } };
}

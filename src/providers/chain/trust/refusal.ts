import { ESCROW_STATES } from '../../../domain/chain/trust-chain.ts';
import { AppError, type ErrorCode } from '../../../domain/common/error.ts';
import type { PaymentFault } from '../../../domain/payment/payment-chain.ts';

interface Wording {
  readonly code: ErrorCode;
  readonly message: string;
  readonly data?: (args: readonly unknown[]) => Readonly<Record<string, unknown>>;
}

const due: Wording['data'] = ([seconds]) => ({ due_s: Number(seconds) });
const amount: Wording['data'] = ([micro]) => ({ amount: String(micro) });

/** Contract errors by name, with the code and message for the caller. */
const WORDINGS: Readonly<Record<string, Wording>> = {
  WrongState: {
    code: 'MOVE_UNAVAILABLE',
    message: 'The job on the chain does not take this move in its state.',
    data: ([state]) => ({ state: ESCROW_STATES[Number(state)] ?? String(state) }),
  },
  TooEarly: { code: 'MOVE_UNAVAILABLE', message: 'It is too early for this move.', data: due },
  TooLate: { code: 'MOVE_UNAVAILABLE', message: 'It is too late for this move.', data: due },
  NotTheParty: {
    code: 'MOVE_UNSIGNED',
    message: 'The move does not carry the signature of the party whose move it is.',
    data: ([party]) => ({ party: String(party).toLowerCase() }),
  },
  NotTheOperator: {
    code: 'CONFIG_INVALID',
    message: 'The escrow has another operator than this service.',
    data: ([caller]) => ({ operator: String(caller).toLowerCase() }),
  },
  TermsInvalid: {
    code: 'INPUT_INVALID',
    message: 'The escrow does not take these terms: amount, parties or time of delivery.',
  },
  JobKnown: {
    code: 'PAYMENT_REPLAYED',
    message: 'The job is escrowed already.',
    data: ([key]) => ({ key: String(key) }),
  },
  MoneyMissing: {
    code: 'PAYMENT_REPLAYED',
    message: 'The money of this authorization is not here, or belongs to another job.',
    data: amount,
  },
  NotLarger: {
    code: 'SEQ_CONFLICT',
    message: 'The log was anchored at this size or a larger one before.',
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
    message: 'This address cannot hold an agent.',
    data: ([receiver]) => ({ received: String(receiver).toLowerCase() }),
  },
  ReservedKey: { code: 'INPUT_INVALID', message: 'The key of this metadata is reserved.' },
  WalletMissing: { code: 'INPUT_INVALID', message: 'The wallet is the zero address.' },
  SignatureExpired: {
    code: 'WALLET_EXPIRED',
    message: 'The signature of the wallet is no longer valid.',
    data: due,
  },
  DeadlineTooFar: {
    code: 'WALLET_EXPIRED',
    message: 'The signature of the wallet is dated more than five minutes ahead.',
    data: due,
  },
  WalletSignatureInvalid: {
    code: 'WALLET_FORGED',
    message: 'The signature is not this wallet’s.',
    data: ([wallet]) => ({ wallet: String(wallet).toLowerCase() }),
  },
};

/** Turns a contract error into a fault. Returns `undefined` for an unknown error. */
export function contractFault(name: string, args: readonly unknown[]): PaymentFault | undefined {
  const wording = WORDINGS[name];
  if (wording === undefined) return undefined;
  const { code, message, data } = wording;
  return { code, message, data: { ...data?.(args), reason: name } };
}

/** Creates the error for a fault. */
export function faultError({ code, message, data }: PaymentFault): AppError {
  return new AppError(code, { message, ...(data === undefined ? {} : { data }) });
}

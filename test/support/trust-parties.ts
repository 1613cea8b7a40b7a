import { randomBytes } from 'node:crypto';
import { toHex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type {
  EscrowContract,
  EscrowTerms,
  PartyMove,
  TrustChain,
} from '../../src/domain/chain/trust-chain.ts';
import type { Authorization } from '../../src/domain/payment/payment.ts';
import type { ChainFacts } from '../../src/domain/payment/payment-chain.ts';
import type { TypedData } from '../../src/domain/wallet/typed-data.ts';

/** A wallet that signs typed data with viem, as a stranger's would. */
export interface Party {
  readonly address: string;
  readonly account: PrivateKeyAccount;
  sign(data: TypedData): Promise<string>;
}

/** Makes a wallet with a fresh key, or with the one given. */
export function createParty(privateKey = generatePrivateKey()): Party {
  const account = privateKeyToAccount(privateKey);
  return {
    address: account.address.toLowerCase(),
    account,
    sign: (data) => account.signTypedData(data as never),
  };
}

/** Terms of a fresh job of ten dollars, to be delivered within the hour. */
export function termsOf(
  parties: { readonly buyer: Party; readonly provider: Party },
  nowS: number,
  overrides: Partial<EscrowTerms> = {},
): EscrowTerms {
  return {
    jobId: toHex(randomBytes(32)),
    buyer: parties.buyer.address,
    provider: parties.provider.address,
    amount: '10000000',
    fulfilByS: nowS + 3_600,
    ...overrides,
  };
}

/** What funds a job, as its buyer signs it. */
export async function fundingOf(order: {
  readonly facts: ChainFacts;
  readonly trust: TrustChain;
  readonly buyer: Party;
  readonly terms: EscrowTerms;
  readonly form: 'terms' | 'exact';
  readonly nowS: number;
  readonly overrides?: Partial<Authorization>;
}): Promise<Parameters<EscrowContract['fund']>[0]> {
  const { facts, trust, buyer, terms, form, nowS, overrides } = order;
  const authorization: Authorization = {
    from: buyer.address,
    to: trust.contracts.escrow ?? '',
    value: terms.amount,
    validAfter: String(nowS - 600),
    validBefore: String(nowS + 600),
    nonce: form === 'terms' ? trust.escrow.computeKey(terms) : toHex(randomBytes(32)),
    ...overrides,
  };
  const primaryType = form === 'terms' ? 'ReceiveWithAuthorization' : 'TransferWithAuthorization';
  const signature = await buyer.sign({
    domain: {
      name: facts.tokenName,
      version: facts.tokenVersion,
      chainId: facts.chainId,
      verifyingContract: facts.token,
    },
    types: { [primaryType]: AUTHORIZATION },
    primaryType,
    message: { ...authorization },
  });
  return { terms, authorization, signature, form };
}

/** A party's signature of a move. */
export function signMove(
  trust: TrustChain,
  key: string,
  by: Party,
  move: PartyMove,
): Promise<string> {
  return by.sign(trust.escrow.createMoveRequest(key, move));
}

const AUTHORIZATION = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
];

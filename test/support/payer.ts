import { randomBytes } from 'node:crypto';
import { toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  type Authorization,
  type PaymentPayload,
  type PaymentRequirements,
  X402_VERSION,
} from '../../src/domain/payment/payment.ts';
import type { ChainFacts } from '../../src/domain/payment/payment-chain.ts';

/** What a payment may differ in from an honest one. Changes are signed. */
export interface PaymentOverrides {
  readonly authorization?: Partial<Authorization>;
  readonly accepted?: Partial<PaymentRequirements>;
  /** Replaces the signature after signing. */
  readonly signature?: string;
  /** Milliseconds; the window is from ten minutes before to `maxTimeoutSeconds` after. */
  readonly now?: number;
}

/** A wallet that pays by EIP-3009, signing with viem as a stranger's client would. */
export interface Payer {
  readonly address: `0x${string}`;
  readonly privateKey: `0x${string}`;
  pay(requirements: PaymentRequirements, overrides?: PaymentOverrides): Promise<PaymentPayload>;
}

/** Makes a wallet with a fresh key, or with the one given. */
export function createPayer(privateKey: `0x${string}` = generatePrivateKey()): Payer {
  const account = privateKeyToAccount(privateKey);
  return {
    address: account.address,
    privateKey,
    pay: async (requirements, overrides = {}) => {
      const nowS = Math.floor((overrides.now ?? Date.now()) / 1000);
      const authorization = {
        from: account.address,
        to: requirements.payTo,
        value: requirements.amount,
        validAfter: String(nowS - 600),
        validBefore: String(nowS + requirements.maxTimeoutSeconds),
        nonce: toHex(randomBytes(32)),
        ...overrides.authorization,
      };
      const signature = await account.signTypedData(typedData(requirements, authorization));
      return {
        x402Version: X402_VERSION,
        accepted: { ...requirements, ...overrides.accepted },
        payload: { signature: overrides.signature ?? signature, authorization },
      };
    },
  };
}

/** What a chain asks for a price, as the challenge would. */
export function requirementsOf(
  facts: ChainFacts,
  overrides: Partial<PaymentRequirements> = {},
): PaymentRequirements {
  return {
    scheme: 'exact',
    network: facts.network,
    amount: '250000',
    asset: facts.token,
    payTo: facts.treasury,
    maxTimeoutSeconds: 120,
    extra: { name: facts.tokenName, version: facts.tokenVersion },
    ...overrides,
  };
}

/** The EIP-712 message of an authorization, in viem's form. */
export function typedData(requirements: PaymentRequirements, authorization: Authorization) {
  const { name, version } = requirements.extra;
  return {
    domain: {
      name: String(name),
      version: String(version),
      chainId: Number(requirements.network.split(':')[1]),
      verifyingContract: requirements.asset as `0x${string}`,
    },
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message: {
      from: authorization.from as `0x${string}`,
      to: authorization.to as `0x${string}`,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
      nonce: authorization.nonce as `0x${string}`,
    },
  } as const;
}

import { encodeAbiParameters, keccak256, toHex } from 'viem/utils';
import type { Authorization } from '../../domain/payment/payment.ts';

/** The members of an EIP-712 domain separator. */
export interface TokenDomain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  /** Address of the token contract. */
  readonly token: string;
}

/** Computes the 32 bytes that the payer of an authorization signs. */
export type AuthorizationDigest = (authorization: Authorization) => Uint8Array;

const DOMAIN_TYPE = keccak256(
  toHex('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'),
);
const TERMS =
  '(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)';
const TYPES = {
  transfer: keccak256(toHex(`TransferWithAuthorization${TERMS}`)),
  receive: keccak256(toHex(`ReceiveWithAuthorization${TERMS}`)),
};
const WORD_BYTES = 32;
const STRUCT_WORDS = 7;
const ADDRESS_HEX = 40;

/**
 * Creates a function that computes the EIP-712 digest of `TransferWithAuthorization` for one token.
 * With `receive` it is `ReceiveWithAuthorization`, which only the payee can submit. The result
 * equals viem's `hashTypedData`. It is packed by hand: every member is one word, so no general
 * encoder is needed.
 *
 * Numbers must be below 2^256 and bytes must be hex of the right length; callers check first.
 */
export function authorizationDigest(
  domain: TokenDomain,
  form: 'transfer' | 'receive' = 'transfer',
): AuthorizationDigest {
  const separator = Buffer.from(domainSeparator(domain).slice(2), 'hex');
  return (authorization) => {
    const struct = Buffer.alloc(STRUCT_WORDS * WORD_BYTES);
    const put = (word: number, hex: string) => {
      struct.write(hex.padStart(2 * WORD_BYTES, '0'), word * WORD_BYTES, 'hex');
    };
    put(0, TYPES[form].slice(2));
    put(1, authorization.from.slice(-ADDRESS_HEX));
    put(2, authorization.to.slice(-ADDRESS_HEX));
    put(3, BigInt(authorization.value).toString(16));
    put(4, BigInt(authorization.validAfter).toString(16));
    put(5, BigInt(authorization.validBefore).toString(16));
    put(6, authorization.nonce.slice(2));
    const message = Buffer.alloc(2 + 2 * WORD_BYTES);
    message.set([0x19, 0x01], 0);
    message.set(separator, 2);
    message.set(keccak256(struct, 'bytes'), 2 + WORD_BYTES);
    return keccak256(message, 'bytes');
  };
}

/** Returns the EIP-712 domain separator of a token. */
export function domainSeparator(domain: TokenDomain): `0x${string}` {
  return keccak256(
    encodeAbiParameters(
      [
        { type: 'bytes32' },
        { type: 'bytes32' },
        { type: 'bytes32' },
        { type: 'uint256' },
        { type: 'address' },
      ],
      [
        DOMAIN_TYPE,
        keccak256(toHex(domain.name)),
        keccak256(toHex(domain.version)),
        BigInt(domain.chainId),
        domain.token as `0x${string}`,
      ],
    ),
  );
}

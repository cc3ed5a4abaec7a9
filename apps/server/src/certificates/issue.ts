import 'reflect-metadata';
import { createPrivateKey } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

/** A certificate and its key, both as PEM. */
export interface Pair {
  cert: string;
  key: string;
}

interface Period {
  from: Date;
  until: Date;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
/** Clocks of clients may be behind ours. */
const slackMs = 5 * 60_000;

/** Creates an authority that signs end-entity certificates, never other authorities. */
export async function makeAuthority(commonName: string, { from, until }: Period): Promise<Pair> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: [{ CN: [commonName] }],
    notBefore: new Date(from.getTime() - slackMs),
    notAfter: until,
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: certificate.toString('pem'), key: await pemOf(keys.privateKey) };
}

/**
 * Issues an end-entity certificate: for a server with these host names and addresses, or for a client without names.
 */
export async function issue(
  authority: Pair,
  { commonName, names = [], from, until }: Period & { commonName: string; names?: readonly string[] },
): Promise<Pair & { serial: string }> {
  const signer = new x509.X509Certificate(authority.cert);
  const { algorithm: signing, key: signingKey } = await signingKeyOf(authority.key);
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const serial = newSerial();
  const isServer = names.length > 0;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial,
    subject: [{ CN: [commonName] }],
    issuer: signer.subject,
    notBefore: new Date(from.getTime() - slackMs),
    notAfter: until,
    signingAlgorithm: signing,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage[isServer ? 'serverAuth' : 'clientAuth']]),
      await x509.AuthorityKeyIdentifierExtension.create(signer.publicKey),
      ...(isServer
        ? [
            new x509.SubjectAlternativeNameExtension(
              names.map((value) => ({ type: isIP(value) > 0 ? ('ip' as const) : ('dns' as const), value })),
            ),
          ]
        : []),
    ],
  });
  return { cert: certificate.toString('pem'), key: await pemOf(keys.privateKey), serial };
}

/** Sixteen bytes of which the first is from 1 to 127, so that all implementations write the number the same way. */
function newSerial(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] = (bytes[0]! & 0x3f) | 0x40;
  return bytes.toHex();
}

/** Authorities of operators may have RSA keys, in PKCS #1 or #8. */
async function signingKeyOf(pem: string) {
  const key = createPrivateKey(pem);
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  const curves: Record<string, string> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };
  const own =
    type === 'ec'
      ? { name: 'ECDSA', namedCurve: curves[details?.namedCurve ?? ''] ?? '', hash: 'SHA-256' }
      : { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const pkcs8 = key.export({ type: 'pkcs8', format: 'der' });
  return { algorithm: own, key: await crypto.subtle.importKey('pkcs8', pkcs8, own, false, ['sign']) };
}

async function pemOf(key: CryptoKey): Promise<string> {
  const base64 = Buffer.from(await crypto.subtle.exportKey('pkcs8', key)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${base64.replace(/.{1,64}/g, '$&\n')}-----END PRIVATE KEY-----\n`;
}

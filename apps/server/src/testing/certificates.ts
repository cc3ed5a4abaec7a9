import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const validity = () => ({
  notBefore: new Date(Date.now() - 2 * 86_400_000),
  notAfter: new Date(Date.now() + 86_400_000),
});

/** PEM texts of one end of a TLS connection. */
export interface Identity {
  ca: string;
  cert: string;
  key: string;
}

/** A certificate authority of a test, and a function that issues certificates for `localhost` and 127.0.0.1. */
export async function createAuthority(name = 'Test CA') {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: `CN=${name}`,
    ...validity(),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  return {
    issue: async (role: 'server' | 'client', dates: { notBefore?: Date; notAfter?: Date } = {}): Promise<Identity> => {
      const own = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
      const certificate = await x509.X509CertificateGenerator.create({
        serialNumber: Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex'),
        subject: `CN=${role}`,
        issuer: authority.subject,
        ...validity(),
        ...dates,
        signingAlgorithm: algorithm,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        extensions: [
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage[`${role}Auth`]]),
          new x509.SubjectAlternativeNameExtension([
            { type: 'dns', value: 'localhost' },
            { type: 'ip', value: '127.0.0.1' },
          ]),
        ],
      });
      const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', own.privateKey)).toString('base64');
      return {
        ca: authority.toString('pem'),
        cert: certificate.toString('pem'),
        key: `-----BEGIN PRIVATE KEY-----\n${key.replace(/(.{64})/g, '$1\n')}\n-----END PRIVATE KEY-----\n`,
      };
    },
  };
}

import type { NetworkServer } from '@hilltop/contract';
import { NumberField, SwitchField } from '../../components/form/fields.tsx';
import { FormSection } from '../../components/form/form-section.tsx';
import { FormTabs } from '../../components/form/form-tabs.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { TextAreaField, TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';

interface Props {
  initial: NetworkServer;
  submit: string;
  onSubmit: (networkServer: NetworkServer) => Promise<unknown>;
  onSaved: () => void;
}

export const emptyNetworkServer: NetworkServer = {
  id: '0',
  name: '',
  server: '',
  caCert: '',
  tlsCert: '',
  tlsKey: '',
  routingProfileCACert: '',
  routingProfileTLSCert: '',
  routingProfileTLSKey: '',
  gatewayDiscoveryEnabled: false,
  gatewayDiscoveryInterval: 0,
  gatewayDiscoveryTXFrequency: 0,
  gatewayDiscoveryDR: 0,
};

export function NetworkServerForm({ initial, submit, onSubmit, onSaved }: Props) {
  const form = useMessageForm('NetworkServer', { values: initial });
  return (
    <MessageForm form={form} submit={submit} onSubmit={onSubmit} onSaved={onSaved}>
      <FormTabs
        tabs={[
          {
            value: 'general',
            label: 'General',
            content: (
              <>
                <TextField name="name" />
                <TextField
                  name="server"
                  placeholder="localhost:8000"
                  {...(initial.server.startsWith('embedded:') && {
                    help: 'This network-server runs inside Hilltop itself.',
                  })}
                />
              </>
            ),
          },
          {
            value: 'gateway-discovery',
            label: 'Gateway discovery',
            content: (
              <>
                <SwitchField name="gatewayDiscoveryEnabled" />
                {form.values.gatewayDiscoveryEnabled && <Discovery />}
              </>
            ),
          },
          { value: 'tls', label: 'TLS certificates', content: <Certificates /> },
        ]}
      />
    </MessageForm>
  );
}

function Discovery() {
  const positive = (value: number) => (value > 0 ? null : 'This must be greater than 0.');
  return (
    <>
      <NumberField name="gatewayDiscoveryInterval" validate={positive} />
      <NumberField name="gatewayDiscoveryTXFrequency" validate={positive} />
      <NumberField name="gatewayDiscoveryDR" />
    </>
  );
}

function Certificates() {
  const pem = {
    rows: 4,
    spellCheck: false,
    styles: { input: { fontFamily: 'var(--mantine-font-family-monospace)' } },
  } as const;
  return (
    <>
      <FormSection
        title="From the application-server to the network-server"
        help="What this server presents when it calls the network-server."
      >
        <TextAreaField name="caCert" {...pem} />
        <TextAreaField name="tlsCert" {...pem} />
        <TextAreaField name="tlsKey" {...pem} />
      </FormSection>
      <FormSection
        title="From the network-server to the application-server"
        help="What the network-server presents when it calls back."
      >
        <TextAreaField name="routingProfileCACert" {...pem} />
        <TextAreaField name="routingProfileTLSCert" {...pem} />
        <TextAreaField name="routingProfileTLSKey" {...pem} />
      </FormSection>
    </>
  );
}

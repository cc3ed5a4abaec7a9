import type { CreateEmbeddedNetworkServerRequest } from '@hilltop/contract';
import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { SelectField } from '../../components/form/fields.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { CreatePage } from '../../components/resource/create-page.tsx';
import { ReturnLink } from '../../components/return-path/return-link.tsx';
import { useReturnPath } from '../../components/return-path/use-return-path.ts';
import { paths } from '../../paths.ts';
import { emptyNetworkServer, NetworkServerForm } from './network-server-form.tsx';

const places = [
  { value: 'elsewhere', label: 'On another machine' },
  { value: 'here', label: 'Inside Hilltop' },
];

/** Registers an external network-server, or creates an embedded one, which starts at once. */
export function NetworkServerCreate() {
  const [kind, setPlace] = useState('elsewhere');
  const choice = <SegmentedControl aria-label="Where it runs" data={places} value={kind} onChange={setPlace} mb="md" />;
  if (kind === 'here') {
    return (
      <>
        <PageHeader
          crumbs={[{ label: 'Network-servers', to: paths.networkServer.list() }]}
          title="Add network-server"
        />
        <ReturnLink usual={paths.networkServer.list()} />
        {choice}
        <EmbeddedForm />
      </>
    );
  }
  return (
    <CreatePage of="networkServer" verb="Add" form={NetworkServerForm} initial={emptyNetworkServer}>
      {choice}
    </CreatePage>
  );
}

const nothing: CreateEmbeddedNetworkServerRequest = { name: '', region: '', subBand: 0, netID: '' };

function EmbeddedForm() {
  const { goBack } = useReturnPath();
  const form = useMessageForm('CreateEmbeddedNetworkServerRequest', { values: nothing });
  const regions = useQuery(query('radio', 'listRegions', {})).data?.result ?? [];
  const subBands = regions.find(({ name }) => name === form.values.region)?.subBands ?? 0;
  return (
    <MessageForm
      form={form}
      submit="Add network-server"
      isNew
      onSubmit={async (values) => {
        const request = { ...values, subBand: subBands === 0 ? 0 : values.subBand };
        const done = 'network-server has been created';
        const { id } = await perform(api.radio.create(request), { changed: ['networkServer', 'radio'], done });
        setTimeout(() => goBack(paths.networkServerRadio(id), id));
      }}
    >
      <TextField name="name" />
      <SelectField
        name="region"
        searchable
        placeholder="Choose ..."
        options={regions.map(({ name }) => ({ value: name, label: name }))}
      />
      {subBands > 0 && (
        <SelectField
          name="subBand"
          options={Array.from({ length: subBands + 1 }, (_, number) => ({
            value: number,
            label: number === 0 ? 'All channels' : `Sub-band ${number}`,
          }))}
        />
      )}
      <TextField name="netID" placeholder="000000" />
    </MessageForm>
  );
}

import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { paths } from '../../paths.ts';
import { emptyNetworkServer, NetworkServerForm } from './network-server-form.tsx';

export function NetworkServerCreate() {
  const navigate = useNavigate();
  return (
    <>
      <PageHeader crumbs={[{ label: 'Network-servers', to: paths.networkServers() }]} title="Add network-server" />
      <NetworkServerForm
        initial={emptyNetworkServer}
        submit="Add network-server"
        onSubmit={(networkServer) =>
          perform(api.networkServer.create({ networkServer }), {
            changed: ['networkServer'],
            done: 'network-server has been created',
          })
        }
        onSaved={() => void navigate({ to: paths.networkServers() })}
      />
    </>
  );
}

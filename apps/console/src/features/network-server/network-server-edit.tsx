import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { DeleteButton } from '../../components/confirm/delete-button.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { Status } from '../../components/status/status.tsx';
import { paths } from '../../paths.ts';
import { NetworkServerForm } from './network-server-form.tsx';

export function NetworkServerEdit() {
  const { networkServerID } = useIDs();
  const navigate = useNavigate();
  const toList = () => void navigate({ to: paths.networkServers() });
  return (
    <Loaded isPage query={useQuery(query('networkServer', 'get', { id: networkServerID }))}>
      {({ networkServer, region, version }) => (
        <>
          <PageHeader
            crumbs={[{ label: 'Network-servers', to: paths.networkServers() }]}
            title={region || version ? `${networkServer.name} (${region}@${version})` : networkServer.name}
            badges={!region && !version && <Status tone="attention">Not reachable</Status>}
            actions={
              <DeleteButton
                question="Are you sure you want to delete this network-server?"
                name={networkServer.name}
                mustType
                onDelete={() =>
                  perform(api.networkServer.delete({ id: networkServerID }), {
                    gone: ['networkServer'],
                    done: 'network-server has been deleted',
                  })
                }
                onDone={toList}
              />
            }
          />
          <NetworkServerForm
            key={networkServer.id}
            initial={networkServer}
            submit="Update network-server"
            onSubmit={(changed) =>
              perform(api.networkServer.update({ networkServer: changed }), {
                changed: ['networkServer'],
                done: 'network-server has been updated',
              })
            }
            onSaved={toList}
          />
        </>
      )}
    </Loaded>
  );
}

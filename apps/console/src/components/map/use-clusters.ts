import { useComputedColorScheme } from '@mantine/core';
import type { ExpressionSpecification, GeoJSONSource, MapLayerMouseEvent, Map as MapView } from 'maplibre-gl';
import { useEffect, useRef } from 'react';
import { clustering, collectionOf, countPixels, haloPixels, nearestTo, radii, worstFirst } from './clusters.ts';
import type { MapPoint, PointTone } from './map-point.ts';
import { haloOf, mapColors, mapFonts, type Scheme, toneColor } from './map-style.ts';

export const pointsSource = 'points';
const source = pointsSource;
const isTone = (tone: PointTone): ExpressionSpecification => ['==', ['get', 'tone'], tone];
const countOf = (tone: PointTone): ExpressionSpecification => ['+', ['case', isTone(tone), 1, 0]];
const counts = Object.fromEntries(worstFirst.map((tone) => [tone, countOf(tone)]));
const hasAny = (tone: PointTone): ExpressionSpecification => ['>', ['coalesce', ['get', tone], 0], 0];
const colorIn = (scheme: Scheme): ExpressionSpecification => [
  'case',
  ...(worstFirst.flatMap((tone) => [['any', isTone(tone), hasAny(tone)], toneColor(tone, scheme)]) as [
    ExpressionSpecification,
    string,
  ]),
  toneColor('plain', scheme),
];
const [[, alone] = [0, 0], ...together] = radii;
const radius = ['step', ['coalesce', ['get', 'point_count'], 0], alone, ...together.flat()] as ExpressionSpecification;

/** Draws thousands of points as circles; near ones become one circle with their number, which zooms in on a click. */
export function useClusters(
  map: MapView | undefined,
  points: readonly MapPoint[],
  onOpen: ((point: MapPoint) => void) | undefined,
) {
  const scheme = useComputedColorScheme('light');
  const latest = useRef({ points, onOpen });
  const drawn = useRef(points);
  const isEmpty = points.length === 0;
  useEffect(() => {
    latest.current = { points, onOpen };
  });

  useEffect(() => {
    if (!map || isEmpty) return;
    drawn.current = latest.current.points;
    map.addSource(source, {
      type: 'geojson',
      data: collectionOf(drawn.current),
      cluster: true,
      clusterProperties: counts,
      clusterRadius: clustering.radius,
      clusterMaxZoom: clustering.maxZoom,
    });
    addLayers(map, scheme);
    const open = async ({ features }: MapLayerMouseEvent) => {
      const feature = features?.[0];
      if (feature?.geometry.type !== 'Point') return;
      const [longitude = 0, latitude = 0] = feature.geometry.coordinates;
      if (feature.properties.cluster_id === undefined) {
        const point = nearestTo({ longitude, latitude }, latest.current.points);
        return point && latest.current.onOpen?.(point);
      }
      const zoom = await map.getSource<GeoJSONSource>(source)?.getClusterExpansionZoom(feature.properties.cluster_id);
      map.easeTo({ center: [longitude, latitude], ...(zoom === undefined ? {} : { zoom }) });
    };
    const subscriptions = [
      map.on('click', 'circles', open),
      map.on('mouseenter', 'circles', () => (map.getCanvas().style.cursor = 'pointer')),
      map.on('mouseleave', 'circles', () => (map.getCanvas().style.cursor = '')),
    ];
    return () => {
      for (const subscription of subscriptions) subscription.unsubscribe();
      if (!map.style) return;
      for (const layer of ['count', 'circles']) map.removeLayer(layer);
      map.removeSource(source);
    };
  }, [map, isEmpty, scheme]);

  useEffect(() => {
    if (!map || drawn.current === points) return;
    drawn.current = points;
    void map.getSource<GeoJSONSource>(source)?.setData(collectionOf(points));
  }, [map, points]);
}

function addLayers(map: MapView, scheme: Scheme) {
  // One layer for single points and clusters: each layer needs another shader program before its first frame.
  map.addLayer({
    id: 'circles',
    type: 'circle',
    source,
    paint: {
      'circle-color': colorIn(scheme),
      'circle-radius': radius,
      'circle-stroke-color': haloOf(scheme),
      'circle-stroke-width': haloPixels,
    },
  });
  map.addLayer({
    id: 'count',
    type: 'symbol',
    source,
    filter: ['has', 'point_count'],
    layout: {
      'text-field': ['get', 'point_count_abbreviated'],
      'text-font': mapFonts,
      'text-size': countPixels,
      'text-allow-overlap': true,
    },
    paint: { 'text-color': mapColors[scheme].count },
  });
}

"""The line of a geopandas user: read, make valid, areas on the ellipsoid, centroids, longitude and latitude, GeoJSON by lines."""

import sys
from pathlib import Path

import geopandas
from pyproj import Geod
from shapely.geometry import MultiPolygon
from shapely.geometry.polygon import orient
from shapely.validation import make_valid

source, target = sys.argv[1:]
paddocks = geopandas.read_file(f"zip://{source}")
centres = paddocks.geometry.centroid.to_crs(4326)
paddocks = paddocks.to_crs(4326)
crossed = ~paddocks.is_valid
ellipsoid = Geod(ellps="WGS84")


def area_of(shape):
    return abs(ellipsoid.geometry_area_perimeter(shape)[0])


def wound(shape):
    """Repaired parts may run either way; the sign of an area is its winding."""
    return MultiPolygon([orient(part) for part in getattr(shape, "geoms", [shape])])


paddocks.loc[crossed, "geometry"] = paddocks.geometry[crossed].apply(make_valid).apply(wound)
paddocks["area_m2"] = [area_of(shape) for shape in paddocks.geometry]
paddocks["x"], paddocks["y"] = centres.x, centres.y
# The driver appends to an existing file.
Path(target).unlink(missing_ok=True)
paddocks.to_file(target, driver="GeoJSONSeq")

#!/bin/sh
# How these fonts were made from DejaVu 2.37: `sh subset.sh <folder with DejaVu*.ttf>`; needs fonttools.
# All have Latin, Greek, Cyrillic and the signs of mathematics; the plain face, to which the others
# fall back, has Hebrew, Arabic, some emoji and mathematical letters besides.
set -eu
cd "$(dirname "$0")"
base="U+0020-017F,U+0259,U+0302,U+0303,U+0370-03FF,U+0400-045F,U+2010-2027,U+2030-2033,U+2039,U+203A"
base="$base,U+2044,U+2070-209C,U+20AC,U+2102,U+210E,U+210F,U+2113,U+2115,U+211D,U+2124,U+2190-22FF"
base="$base,U+2308-230B,U+2500-25FF,U+2713,U+2717,U+27E8,U+27E9,U+FFFD"
wide="$base,U+0300-036F,U+0590-06FF,U+FB1D-FBFF,U+FE70-FEFF,U+1F600-1F64F,U+2600-26FF,U+2100-214F"
wide="$wide,U+1D400-1D7FF"
slim="U+0020-017F,U+2010-2027,U+2212,U+00D7,U+FFFD" # the oblique face only says "None" and "not yet"
for face in Sans Sans-Oblique Sans-Bold Serif-BoldItalic SansMono SansMono-Bold; do
  letters=$base
  features=mark,mkmk,ccmp
  case $face in
    Sans) letters=$wide features=$features,init,medi,fina,isol,rlig,liga,locl ;;
    Sans-Oblique) letters=$slim ;;
  esac
  pyftsubset "$1/DejaVu$face.ttf" --output-file="DejaVu$face.ttf" --unicodes="$letters" \
    --layout-features="$features" --no-hinting --name-IDs='*' --drop-tables+=FFTM
done

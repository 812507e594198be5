/** Escapes text for the parts of a workbook, and begins them. */

export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
export const mainNamespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

const needsCare = /[&<>"\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]|_x[0-9A-Fa-f]{4}_/

/** Escapes text for an element or attribute; characters that XML cannot contain become _xHHHH_, as in ISO 29500-1 22.9.2.19. */
export function xmlText(text: string): string {
  if (!needsCare.test(text)) return text
  return text
    .toWellFormed()
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(
      /[\x00-\x08\x0b-\x1f\ufffe\uffff]/g,
      (code) => `_x${code.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

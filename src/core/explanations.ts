/** Explains each code and exit status in a short paragraph: what happened, why windrow does that, what to do. */

import type { ErrorCode, exitCodes } from './error.ts'
import type { ProblemCode } from './problem.ts'

/** A paragraph for each problem of a row or a file. */
export const problemExplanations = {
  // reading
  'row-ragged':
    'The row has more or fewer cells than there are column names, so a value may lie under the wrong name. windrow rejects the row instead of guessing where each value belongs. Look for a delimiter or a line break inside a cell: put that cell in quotes, or give the extra column a name, and import the row again.',
  'quote-unclosed':
    'A cell begins with a quote that is never closed, so the rest of the file would be one cell. The rows below it are not read. Close the quote and read the file again; if quotes are ordinary characters in this file, add --quote none (in a pipeline, quote: none under from).',
  'row-unreadable':
    'The row is damaged, is not what its format requires, or belongs to a second table below the first one, so nothing in it can be trusted. windrow rejects it and reads the others. Correct the row, or export the file again from the program it comes from.',
  'file-truncated':
    'The file ends in the middle of a row or a list, as after a broken download or copy. A run sends nothing from such a file, because the missing rows would look as if they had been removed. Copy, download or export the file again.',
  'file-inconsistent':
    'Two parts of the file contradict each other: the shapes and the table of a shapefile have different counts, an index belongs to another file, or an id is written differently from before. Values may then belong to the wrong paddock. Compare a few names with a map, and export the whole file again if they are wrong.',
  'encoding-guessed':
    'The file does not name its text encoding, so windrow tried the likely ones and chose the one that gives proper words. Check names with accents or macrons in the report. If they are wrong, name the right encoding with --encoding windows-1252 (in a pipeline, encoding: under from).',
  'encoding-doubtful':
    'Letters such as ā or é cannot be decoded, look decoded twice, or were already lost when this file was written (Tau?a). windrow does not publish a damaged name over a good one. Export the file again as UTF-8, or name the right encoding with --encoding (in a pipeline, encoding: under from).',
  'text-repaired':
    'The file breaks a rule of its format in a way that has only one meaning, such as NaN for a missing number in JSON. windrow reads it as meant. You need not do anything; the supplier of the file may like to know.',
  'value-not-fitting-column':
    'The cell contains something that its column cannot have, such as letters in a column of numbers, or a list where one text is expected. A wrong value is worse than none, so it is not published. Correct the cell, or give the column the right type in the program that wrote the file.',
  'column-unreadable':
    'The column contains something that no field can take, such as pictures or binary data. windrow leaves its cells empty and reads the other columns. If you need the column, change its type to text or number in the original program and export again.',
  'cell-error':
    'The cell shows an error of the spreadsheet, such as #REF! or #N/A, in place of its value. windrow cannot know the value and rejects the row if the column is used. Correct the formula, or replace it by its value, and save the workbook.',
  'blank-in-words':
    'Cells contain a word such as NULL or n/a, which databases write for an empty cell. windrow reads them as blank. If it is a real word in this column, write it under words in the pipeline: { from: Column, words: { "NULL": "NULL" }, otherwise: keep }.',
  'formula-not-calculated':
    'A formula was written into the workbook by a program that did not calculate its result. windrow does not calculate formulas and reads the cell as blank. Open the workbook in a spreadsheet program, save it, and read it again.',
  'cells-hidden':
    'The sheet has hidden rows or columns, perhaps by a filter. Hidden is not deleted, so windrow reads them like the others. If they must not be imported, delete them, or take only some rows with only: in a pipeline.',
  'cells-merged':
    'Several cells of a column are merged into one, so only the first row has the value and the rows below it are blank. windrow does not copy values to other rows. Unmerge the cells and fill the value down if it belongs to each row.',
  'rows-far-below':
    'After many blank rows the sheet has more filled rows, which may be notes, old data or a second table. windrow reads them, because leaving out records silently would be worse. Check those rows and delete them if they are not records.',
  'sheet-hidden':
    'The workbook has a hidden sheet, which is often an old copy or a list for drop-down menus. windrow does not read it. If you need it, show the sheet in the workbook, or add --hidden (in a pipeline, hidden: true under from).',
  'header-renamed':
    'A column has no name, or the same name as another one, so it could not be told apart. windrow gave it a new name, such as Name (2) or column 4, which you can use in a pipeline. To be safe from changes, give each column its own name in the file.',
  'header-missing':
    'The first row already looks like values, so windrow found no column names and calls the columns by number. Name the row with the column names with --header 3, or write --header none if there is none (in a pipeline, header: under from).',
  'rows-above-header':
    'Rows above the column names, such as a title and a date, were left out. The row with the column names was found by what it contains. If it is the wrong row, name the right one with --header 3 (in a pipeline, header: 3 under from).',
  'header-again':
    'The column names occur again among the rows, as when files are pasted below each other or a printed list repeats them on each page. The row is no record and was skipped. You need not do anything.',
  'row-like-total':
    'The row looks like a total, but lies among the records or is filled in like one. windrow reads it as a record, because leaving out a real paddock would be worse. If it is a total, remove it from the file, or filter it out with only: in a pipeline.',
  'row-blank':
    'The row has no values, so there is nothing to publish, and it was skipped. It is counted, so that all rows of the file are accounted for. You need not do anything.',
  'row-footer':
    'The row at the end of the table is a total or a remark, not a record, and was skipped. If it is a real record, fill in its other cells, above all its key, so that it looks like the other rows.',
  'row-filtered':
    'The pipeline takes only some rows (only:), and this is not one of them. It is counted as skipped. If the row should be imported, change the values under only in the pipeline.',
  'row-deleted':
    'Programs that write dBASE tables mark rows as deleted and leave them in the file until it is packed. windrow leaves them out, as those programs do. You need not do anything.',
  'row-repeated':
    'The row is identical to an earlier one, with the same key. One record is published and this row is skipped. You need not do anything; remove the copy if you want to avoid this note.',
  'guard-allowed':
    'The run passed a limit that would have stopped it, and someone allowed that for this one run with --allow. Nothing is wrong if the file is right. The next run has all its limits again.',
  'columns-changed':
    'The file has a column that the pipeline does not expect, or lacks one that it can do without. The other columns are read as before. If the file is right, correct the list under columns: expect in the pipeline; new: ignore there stops the report of new columns.',
  'files-beside':
    'The folder or zip has other files that could be read, and windrow read only one. It never mixes files. To read another one, name it after the zip, as in export.zip/other.csv, or choose a layer with --layer.',
  'parts-left-out':
    'The file contains things that are not rows of the table, such as pictures, views or styles. They cannot become records and were left out. If something is missing, export it as a layer of its own.',
  'parts-apart':
    'The pipeline says multipart: explode, so each part of a boundary became a record with its own key. To publish one record with all its parts, write geometry: { multipart: keep }.',
  'description-read':
    'The KML file has its values in tables within the descriptions, as Google Earth shows them, and windrow read columns from there. Check the column names with windrow inspect. A file with proper columns, such as GeoJSON or a shapefile, is safer where you can get one.',
  'dimensions-dropped':
    'The coordinates have heights or measures, which boundaries do not need, so only longitude and latitude were kept. To publish heights too, write geometry: { heights: keep } in a pipeline.',
  'run-unreadable':
    'The folder of an earlier run is damaged, or was written by another version, so windrow continued without it. Nothing in the service changed because of this. Delete the folder that the message names if nobody needs it.',
  'clock-set-back':
    'The last run started later than the time that the clock of this computer shows now. Either the clock was set back, or it was ahead during that run. The run continued: windrow numbers its runs, so their order does not depend on the clock. Check date, time and zone of this computer, because records get the time of their change from it.',
  'ledger-rebuilt':
    'The ledger (ledger.db in .windrow) lists what was sent; it was damaged, empty or lost. windrow read the records from the service again, so that the next run updates them and does not create copies. Keep the .windrow folder with the pipeline when you move or restore it.',
  // geometry
  'crs-assumed':
    'The file does not say what its coordinates mean, and only one coordinate system puts them in a likely place. windrow used that one and reports it. Check the map in the report; if it is right, write it down with --crs EPSG:2193 (in a pipeline, crs: under from).',
  'grid-missing':
    'Converting from this coordinate system is more accurate with a datum grid (an NTv2 .gsb file), and the grid folder has none that fits. The conversion without it may be some metres off. Get the grid from your land survey office and put it in the folder that --grid-dir or grids: names.',
  'grid-left':
    'The boundary lies outside the area of the datum grid, so it was converted without the grid and may be some metres off. Put a grid for its region into the same folder to place it better.',
  'crs-out-of-area':
    'With this coordinate system all boundaries would lie outside its area, in an ocean or far from the farm, so it is probably the wrong one. Look at the map in the report. Name another system with --crs EPSG:2193 (in a pipeline, crs: under from) before you publish.',
  'coordinates-turned':
    'In every row the two coordinates are in the wrong order, latitude before longitude for example; no row lies in the right place as written. windrow swapped them in all rows. Export the file with longitude or easting first to avoid this note.',
  'geometry-missing':
    'The row has no boundary. windrow does not invent land, and a record that already has a boundary keeps it; a type of record that needs a boundary cannot be published without one. Draw the boundary in the program that made the file, or leave the row out.',
  'boundary-absent':
    'The file has no boundaries, so its new records would be published without one and would not lie on the map. If you have another file with the boundaries, import that one first, with the same ids: then these rows update its records. Otherwise you need not do anything.',
  'geometry-unreadable':
    'The cell should contain a boundary as text (WKT, WKB or GeoJSON) but cannot be read as one, often because it was cut off at the greatest length of a cell. Export the file in a format for maps, such as GeoPackage or GeoJSON, or correct the cell. If the column is no boundary, add --geometry none.',
  'geometry-wrong-type':
    'The row has a shape that this record cannot have, such as a point for a paddock. windrow does not turn one into the other. Draw it as the message says, or leave the row out; parts can be joined with geometry: { multipart: union } or become records of their own with multipart: explode.',
  'boundary-open':
    'The last point of a ring is not its first point, so the ring was not closed. windrow added the first point at the end, which does not change the land. You need not do anything.',
  'boundary-too-few-points':
    'A ring has fewer than three different points and so encloses no land. It is probably the remainder of a drawing or of an edit. Redraw the boundary, or delete that ring in the program that made the file.',
  'boundary-crosses-itself':
    'The line of the boundary crosses itself, like a figure eight, so it is not clear which land belongs to the paddock. windrow repairs it only where that changes very little of the area (1 % unless you say otherwise); otherwise it rejects the row, because a wrong boundary costs money. Redraw it at the place that the message names, or allow a larger change with --repair "3 %" (in a pipeline, geometry: { repair: up to 3 % }).',
  'boundary-touches-itself':
    'The boundary meets itself at a single point, so its land is really several parts, or has a hole. windrow publishes it as valid parts, which enclose the same land. Check on the map that the paddock looks right.',
  'boundary-hole-outside':
    'A hole lies outside the land that it should be cut out of, or crosses its edge. It may belong to another paddock. Move or delete the hole in the program that made the file; a small change can be allowed with --repair "3 %" (in a pipeline, geometry: { repair: up to 3 % }).',
  'boundary-parts-far':
    'The boundary has parts that lie more than 50 km apart. Usually one of them belongs to another paddock, or was drawn in the wrong place; its area counts, too. The record was published as it is. Look at the map in the report, and correct the boundary in the program it comes from. If the paddock really lies in two places, there is nothing to do.',
  'boundary-parts-overlap':
    'Two parts of one boundary cover the same land, which would count twice. windrow repairs this only within the limit. Redraw the parts, join them with geometry: { multipart: union } in a pipeline, or allow a larger change with --repair "3 %".',
  'boundary-repaired':
    'The boundary was not valid and was repaired; the change was within the limit of --repair or geometry: { repair: ... }. The report says how much of the area changed. Check the place on the map, or write repair: none to have such rows rejected.',
  'boundary-slivers':
    'Spikes, gaps or parts narrower than the width under geometry: slivers were removed from the boundary. The report says how much the area changed. Write a smaller width, or slivers: none, if they are real.',
  'boundary-no-area':
    'The boundary encloses no land: its points lie on one line or in one place. Redraw it, or leave the row out if it is not a paddock.',
  'boundary-points-repeated':
    'The same point occurred several times in a row, which some programs write. The copies were removed; the land is the same. You need not do anything.',
  'coordinate-not-a-number':
    'A coordinate of the boundary is empty, infinite or not a number, so the boundary cannot be drawn. Correct it in the program that made the file, or export the file again.',
  'coordinate-out-of-range':
    'A coordinate lies outside the world, or outside the area of the coordinate system. The two coordinates may be swapped in this row, a digit may be missing, or the coordinate system may be wrong. Correct the row, or name the right system with --crs EPSG:2193 (in a pipeline, crs: under from).',
  'boundary-twice':
    'Two records have the same boundary under different keys, so its land would count twice. windrow publishes both, because only you know which one is right. If it is the same field, keep only one of the rows.',
  'boundary-inside-another':
    'One boundary lies wholly inside another one, so its land counts twice. It may be a separate field, or the other one may be the outline of the farm. Draw the inner one as a hole in the outer one, or remove the row with the outline.',
  'boundaries-overlap':
    'Two boundaries cover the same land, more than a narrow strip. That land counts in both. Redraw the fence between the two in the program that made the file.',
  'boundary-trimmed':
    'The pipeline says overlaps: up to some width, so a narrow overlap was cut off the smaller of two boundaries. The larger one keeps the land. To publish both as drawn, write geometry: { overlaps: keep }.',
  'boundaries-sliver':
    'Two neighbours overlap in a narrow strip, because the fence between them was drawn twice. Make the two lines the same in your program, or let windrow cut the strip off with geometry: { overlaps: up to 1 m } in a pipeline.',
  'boundaries-crowded':
    'Very many boundaries lie over each other in one place, so each was compared only with the nearest ones. Some overlaps may not be reported. Check whether the file really has so many fields there, or has several years in one layer.',
  'boundaries-gap':
    'Between two boundaries lies a narrow strip that belongs to neither, because the fence was drawn twice. If there is no lane or drain, make the two lines the same in your program. The boundaries are published as drawn.',
  'area-differs':
    'The area in a column of the file is not the area of the drawn boundary. The boundary may be old, the column may have another unit, or it may exclude tracks and trees. Compare both with what you know, and correct the one that is wrong; in a pipeline, { from: Area, unit: ac } names the unit.',
  // mapping
  'date-impossible':
    'The day or time does not exist, such as 31 June, or an hour that the change of the clocks skips. windrow rejects the row and does not move the date. Correct the cell.',
  'date-unlikely':
    'The cell has a day such as 1899-12-30 or 9999-12-31, which spreadsheets and databases write where there is no date, or a year with a wrong digit, such as 0202. Published, the crop would have been sown then, so the row is rejected. Correct the cell, or leave it empty. If the program writes such a day each time, let the pipeline read it as blank: words: { "1899-12-30": "" }, otherwise: keep.',
  'date-unclear':
    'The text does not fit the pattern for dates of this column. A date that is guessed wrong moves spraying and withholding periods, so windrow rejects the row. Correct the cell, or name the pattern with --dates d/M/yyyy (in a pipeline, { from: Sown, date: d/M/yyyy }).',
  'date-order-unclear':
    'All dates of the column could be day/month or month/day, and nothing else in the file decides. windrow does not publish the column. Say which with --dates d/M/yyyy or --dates M/d/yyyy (in a pipeline, date: d/M/yyyy beside the column).',
  'date-twice':
    'On the night when the clocks go back, this time occurs twice, and the file does not say which is meant. windrow used the first; in an export of your records, the one that the record has. If that matters, write the time with its offset in the file, such as 2026-04-05T02:30+12:00.',
  'number-negative':
    'The cell has a minus before its area or length, which no paddock has. Often two columns are swapped, or a formula subtracts too much. Correct the cell, or leave it empty.',
  'number-unclear':
    'The text is not a number, or could be two numbers: 1,204 is 1204 in one country and 1.204 in another. windrow does not guess. Correct the cell, or write in the pipeline how the numbers are written: number: { decimal: comma, thousands: point }.',
  'word-unknown':
    'The column has a list of words in the pipeline (words:), and this word is not one of them. It may be a typing mistake or a new word. Correct the cell, add the word under words, or write otherwise: keep to publish unknown words as they are.',
  'unit-unknown':
    'The service does not know this unit, and a number with the wrong unit is a wrong number. Correct the unit in the cell or in the header, or write it in the pipeline: { from: Area, unit: ha }.',
  'truth-unclear':
    'The field is either yes or no, and the cell has another word. Correct the cell, or write in the pipeline what the word means: { from: Organic, words: { certified: yes } }.',
  'crop-unnamed':
    'The row has a date for a crop, such as its sowing date, and no crop. The service keeps such a date only with its crop. Fill in the crop, or clear the date.',
  'name-without-marks':
    'The record has a name with macrons or accents, such as Rāhui, and the file has the same name without them. Publishing it would lose them. Correct the name in the file, or export the file again as UTF-8 from a program that keeps these letters.',
  'group-disagrees':
    'With rows: group, all rows with one key become one record, and here they have different values for the same field. windrow cannot know which is right and rejects them. Correct the rows so that they agree, or give them different keys.',
  // keys
  'key-missing':
    'The cell of the key column is empty in this row. Without a key, windrow could not find the record again and would create a copy each night. Fill in the cell; if many are empty, choose another column with --key (in a pipeline, key: <Column>).',
  'key-repeated':
    'Several rows have the same key but different values, so it is not clear which one is the record. windrow rejects all of them instead of publishing the last. Give each record its own key, remove the wrong rows, or use a key of two columns: key: [<Block>, <Number>].',
  'key-stand-in':
    'No column has a different value in every row, so this preview uses row numbers. Row numbers change with the next export, so nothing can be published with them. Name the id column with --key COLUMN, or number the paddocks in your program.',
  'id-from-number':
    'The ids are numbers in the file, and a number has no leading zeros: 00412876 became 412876. If your ids begin with zeros, they are now different ids. Format the column as text in the original program and export again.',
  'record-matched':
    'The service has this record under another key, and --match (in a pipeline, match:) says that they are the same. The record that is there is updated and keeps its key, so there is no second copy. You need not do anything; check the pairs if you match by name.',
  'record-repeated':
    'The service already has a record with the same boundary or name under another key, so publishing this row would create a second copy. If it is the same record, update the one that is there with --match boundary or --match name (in a pipeline, match:). If it is really a new one, add --duplicates allow.',
  'match-unclear':
    'The row could be more than one record of the service, or only a part of one, as after a paddock was split. windrow does not guess and rejects the row. Match by a column with ids that the service knows, with --match COLUMN=identifier (in a pipeline, match: <COLUMN>=identifier), or correct the row.',
  'holding-missing':
    'The column that names the farm is empty in this row, and no record can be published without its farm. Fill in the cell, or, where the whole file belongs to one farm, name it with --holding SCHEME:ID.',
  // checking
  'field-invalid':
    'The value breaks a rule of the service for this field, such as a length, a range or a pattern. The service would refuse the record, so windrow does not send it. Correct the cell as the message says.',
  'field-missing':
    'The service requires this field, and the row or the pipeline gives no value for it. Fill in the cell, or map a column to the field under record in the pipeline.',
  'field-unknown':
    'The record has a field that windrow does not know, perhaps because the service is newer. It is sent unchanged. Check its spelling in the pipeline; docs/reference.md lists the types of record.',
  'code-unknown':
    'The value is not in the list that windrow knows for this field. The list is open, so the value is sent as it is. Check the spelling; the message names the nearest known value.',
  'code-respelled':
    'The value differs from the list only in case, spaces or punctuation, and was sent as the list spells it. You need not do anything.',
  'would-lose-field':
    'The cell is empty, but the record in the service has a value, which this row would clear. An empty cell can mean "unknown" or "none", so windrow rejects the row until you decide. Fill the cell, or write --blank keep or --blank clear (in a pipeline, blank: keep or blank: clear).',
  // sending
  refused:
    'The service refused this record; the message gives its reason. The other records of the batch are not affected. Correct the row and import it again; if the reason makes no sense, show it to the operator of the service.',
  'not-seen':
    'The service accepted the record but does not show it yet. Accepted is not stored, so windrow reports it. Run the same command again: it looks again, and sends the record again if it is still missing. --confirm-within 300 waits longer.',
  'changed-meanwhile':
    'Somebody changed the record in the service after this run read it. windrow did not overwrite the change. Run it again: it starts from the record as it is now.',
  'left-alone':
    'Somebody or something changed the record after the run that is undone, so putting back its earlier body would wipe that change. The undo left it as it is and lists it. Look at the record in the service, and correct it by hand if it is wrong.',
  'not-in-file':
    'The service has records of this farm and source that are not in the file, and no pipeline owns them. windrow leaves them alone. If this pipeline should own them, look first with --take-over --dry-run, then run it with --take-over.',
  'changed-hands':
    'The records belonged to another pipeline, or to an earlier import, and are in this file, too. Each run publishes what its own file has, so two pipelines that fill the same fields overwrite each other, night after night. If this pipeline replaces the other one, delete the file of the other. If each fills other fields of the same records, you need not do anything.',
  'in-other-file':
    'The records are no longer in the file of this pipeline, but the last file of another pipeline still has them. windrow does not delete them, whatever gone says. From now on the other pipeline decides about them. If the other pipeline is not in use any more, delete its file: then it counts no longer.',
  'gone-from-source':
    'The record was in an earlier file and is not in this one. gone: keep in the pipeline leaves it in the service; gone: delete deletes it, within the limit of guard: deletes. Check whether the row is missing by mistake.',
} as const satisfies Readonly<Record<ProblemCode, string>>

/** A paragraph for each reason why a run stops. */
export const errorExplanations = {
  'file-missing':
    'There is no file or folder at this path. A path on the command line starts in the folder you are in; a path in a pipeline starts in the folder of the pipeline file. Check the spelling and the folder, and put a name with spaces in quotes.',
  'file-unreadable':
    'The file is there, but this user may not read it, or it is a folder. Ask for permission to read it, or choose a file inside the folder.',
  'file-changed':
    'The file changed while windrow was reading it, so its rows may come from two versions. Nothing was sent. Run it again when the other program has finished; in a pipeline, settled: 2 min under from waits until the file has been unchanged for that long.',
  'file-empty':
    'The file contains nothing. A run does not take that as "all records are gone". Export the file again, and look at it before you import it.',
  'address-refused':
    'windrow does not read from this web address: it lies on this machine or in a private network, is not https, contains a password, or leads to an unsafe place. Passwords and keys belong in WINDROW_WEB_SECRETS. If a private address is intended, add --allow-private-addresses (in a pipeline, private addresses: allow under from). Otherwise download the file and give its path.',
  'address-unreachable':
    'The server with the file does not answer, or answers with an error. Open the address in a browser: the link may have expired, or may need a password. Run it again later, or download the file and give its path.',
  'file-damaged':
    'The file breaks the rules of its format, so rows may be missing or wrong. Nothing was sent. Copy, download or export it again; if a program opens it, save it from there under a new name.',
  'file-too-large':
    'The file, or a file inside the zip, is larger than windrow unpacks, which protects this machine from zips made to fill its disk or memory. Unpack the zip and choose the file inside, or export fewer records into each file.',
  'format-unknown':
    'windrow does not recognise what is in the file. If you know its format, name it with --format csv (in a pipeline, format: under from). Otherwise open it in the program it comes from and export it as GeoJSON, shapefile, CSV or Excel.',
  'format-failed':
    'A format module of your own (--format-module) cannot be loaded, or failed while it read the file. The message shows what it said. Correct the module, or leave the option out to use the formats of windrow.',
  'format-cannot-write':
    'windrow can read this kind of file but cannot write it. Choose another ending for the file: .xlsx, .csv, .geojson, .gpkg, .kml, or .zip for a shapefile.',
  'layer-unclear':
    'The file has several layers or sheets, or none with the name you gave, and windrow does not guess which one has your paddocks. windrow inspect FILE shows what each contains. Choose one with --layer NAME (in a pipeline, layer: under from).',
  'choices-missing':
    'The file leaves several choices open, such as its layer, the id column or the farm, and windrow does not guess where a wrong answer costs money. The message lists each choice, its option and what would fit. Copy the command at its end, check every choice, fill in the farm, and run it; in a terminal windrow asks instead.',
  'archive-unsafe':
    'The zip contains something that could do harm, such as a path that leads out of the folder, or far more data than its size suggests. windrow does not unpack it. Ask where the file comes from, and make a new zip of the files you trust.',
  'encoding-unknown':
    'windrow does not know a text encoding of this name. Use utf-8, windows-1252, windows-1250, iso-8859-15 or utf-16le with --encoding (in a pipeline, encoding: under from), or save the file as UTF-8.',
  'crs-unknown':
    'The file does not say what its coordinates mean, or names a coordinate system that windrow does not know. With the wrong one, paddocks would move by metres or to another country. Ask where the file comes from, and name the system with --crs EPSG:2193 (in a pipeline, crs: under from); --crs auto takes the one that clearly fits best.',
  'crs-differs':
    'The file names one coordinate system, and --crs or the pipeline another one. One of them is wrong, so nothing was sent. Find out which: either correct crs: (or --crs), or export the file with the right one.',
  'target-busy':
    'The output file is open in another program; Excel locks a workbook while it shows it. Close it there and run the command again, or choose another name with -o.',
  'target-unwritable':
    'The output file cannot be written: its folder does not exist or may not be written to, or a file that must not be replaced is there. Choose another name or folder with -o.',
  'target-exists':
    'A file is there already, and windrow cannot know that you no longer need it: windrow did not write it, or somebody changed it since. Nothing was written. Choose another name with -o, or replace the file with --force.',
  'nothing-matched':
    'No record matches the filters of the export, so no file was written, and a file from before is unchanged. The hint lists the words that the records do have. If an empty result is right, add --allow-empty (in a pipeline, empty: allow under to).',
  'option-invalid':
    'An option, or its value, cannot be used; nothing was read or sent. The message says what is allowed. Add --help to the command to see its options, and put values with spaces in quotes.',
  'pipeline-invalid':
    'The pipeline file has a mistake, so windrow does not run it. The message names each mistake with its line. Correct them and run windrow check FILE; docs/pipelines.md explains every key with an example.',
  'notify-invalid':
    'notify.yaml says who is told when a pipeline fails, and may start a program, so nobody but its owner may change it. It has a mistake, a secret is missing, or other users may write the file or its folder. The pipelines run all the same, but nobody gets a message. Correct what the sentence names, then run windrow schedule FOLDER --test-notify; docs/running.md has a complete example.',
  'tenants-invalid':
    'tenants.yaml gives each tenant its account, its secrets and its quota, so nobody but its owner may change it. It has a mistake, or other users may write the file or its folder. Workers run nothing until it is correct; what is due waits. Correct what the sentence names, then run windrow check tenants.yaml; docs/scaling.md has a complete example.',
  'tenant-refused':
    'Where tenants share windrow, each pipeline uses the account of its tenant and files below the folder of its tenant only. This one lies in a folder that tenants.yaml does not name, names a connection itself, or reads or writes elsewhere, perhaps through a link. Nothing was read or sent. Move the pipeline or its files, remove connection: from it, or add the tenant to tenants.yaml.',
  'secret-missing':
    'tenants.yaml says where the password of a tenant is: in a variable, a file, or the output of a command. It was not there, or the command failed or took more than 20 seconds. Nothing was sent, and workers try again, because a store of secrets may be down for a moment. Try the command by hand as the user who runs windrow.',
  'column-missing':
    'The file lacks a column that the pipeline needs, perhaps because it was renamed. Nothing was sent, because the values would be lost. If the file is right, correct the names under columns, key and record in the pipeline; if not, export the file again as before.',
  'key-missing':
    'No column was chosen as the id of the records, and none could be found. Without an id that stays the same, the next import would create every record again. Name the column that is different in every row with --key COLUMN (in a pipeline, key: <COLUMN>), or number the paddocks in the program that made the file.',
  'holding-missing':
    'Every record belongs to a farm (holding), and neither the command nor the file names one. Add --holding SCHEME:ID, or --holding "SCHEME:<COLUMN>" where a column has the farm of each row. windrow service control lists your farms.',
  'connection-missing':
    'windrow does not know which service to use, or has several connections and no choice. Save one with windrow connect ADDRESS, and name it with --connection NAME or connection: in the pipeline. For servers, docs/reference.md lists the environment variables.',
  'state-unreadable':
    'A file or folder that windrow keeps between runs cannot be read by this user, or is not what it should be. Check who owns it and what is in its place. --state FOLDER names another folder; without the ledger, windrow reads the records from the service again.',
  'state-damaged':
    'A file that windrow keeps between runs is damaged, for example after a crash of the disk. Restore it from a backup, or move it away: windrow then reads the records from the service again before it sends anything.',
  'store-refused':
    'The PostgreSQL database that --store or WINDROW_STORE names does not let windrow in. Check the user, the password and the name of the database in the address, and that this user may create tables in it. Nothing was sent.',
  'store-unreachable':
    'The PostgreSQL database that --store or WINDROW_STORE names does not answer, or the connection to it broke. Check that it runs and that this machine can reach it, then run the same command again: it continues where it stopped.',
  'disk-full':
    'The disk has no space left. Nothing that was sent is lost. Free some space and run the same command again; it continues where it stopped.',
  'disk-read-only':
    'The disk, folder or file may not be written to by this user. Make it writable, or name another folder with --state or another file with -o, and run the same command again.',
  'share-lost':
    'The file, or a file that windrow keeps between runs, lies on a network share or a disk that went away or reports an error while it was in use. Nothing is sent from a file that was read only in part. Check the connection and the drive, then run the same command again; a schedule does this by itself.',
  'disk-failed':
    'The disk reports an error, or a network drive was disconnected. Check the disk and its connection, then run the same command again. If it happens again, copy your files to another disk.',
  'file-locked':
    'Another program uses the file to read, or a file that windrow keeps between runs: an office program, a backup, a virus scanner or another windrow. Close it there or wait until it has finished, then run the same command again. A schedule tries again by itself.',
  'run-unreported':
    'Records were sent, but the report of the run could not be written. What the service accepted is known, and the next run checks all of these records again. Read the cause in the message, repair it (often a full disk), and run the same command again.',
  'part-missing':
    'A file of windrow itself is missing, because it was updated or removed while it ran, or was not installed completely. Install windrow again and restart what was running.',
  'type-unclear':
    'The file may not be a list of paddocks: it has no boundary, area or crop, or looks like a log: the same names again and again with dates, or columns such as load, yield, moisture and driver. Each row would become a paddock, so nothing is sent, and --key does not change that. Write --to plots if the rows are paddocks, or name what they are, such as --to holdings.',
  'run-unknown':
    'There is no run of this name in the folder where windrow looked. windrow runs lists the runs; runs of a pipeline are in .windrow beside it: windrow runs --state FOLDER/.windrow.',
  'run-unusable':
    'This run cannot be undone or retried: it sent nothing, rejected nothing, or belongs to another account. Choose another one: windrow runs lists them. For a run of another account, name its connection with --connection NAME.',
  'plan-unusable':
    'This run cannot be applied: it was stopped before its end, was made without a service, or was not a plan. Make a new plan with windrow plan, look at it, and apply that one.',
  'plan-outdated':
    'The file, the pipeline or a record in the service has changed since the plan was made, so applying it would do something else than it shows. Nothing was sent. Make a new plan with windrow plan, look at it, and apply that one.',
  'run-busy':
    'Another process is running this pipeline, and two at once could send the same records twice. Wait until it has ended. If no other windrow is running, run the command again: a process that was killed leaves no lock.',
  'service-unreachable':
    'The service did not answer, also after several tries. Check the internet connection and the address of the service. Run the same command again later: it continues where it stopped and sends nothing twice.',
  'service-failing':
    'The service answers with an internal error, also after several tries. It is not a fault of your file. Run the same command again later, and inform the operator of the service if it lasts.',
  'service-confused':
    'The answer of the service breaks its own rules, so windrow cannot know what was accepted and stops. Publishing the same records again is safe. Check that the address of the service is right, run it again, and report it to the operator if it lasts.',
  'sign-in-refused':
    'The service does not accept the user name, the password, the client id or its secret; nothing was sent. Save the connection again with windrow connect, and check the sign-in address. A password may have expired.',
  'rights-missing':
    'The account may sign in, but may not do this, such as publish for this farm. windrow service control lists the farms it may write. Ask the owner of the farm or the operator of the service to connect the account.',
  'request-refused':
    'The service refuses the request, and the same request would be refused again. The message gives its reason. Correct what it names; if nothing is wrong, report it to the operator of the service.',
  'guard-stopped':
    'The run would have passed a limit: too many rows rejected, records deleted, rows fewer than last time, or records replaced. That usually means a wrong or incomplete file, so nothing was sent. Look at the report; if the file is right, let it through once with windrow run PIPELINE --allow and the name of the guard, such as fewer-rows, or raise the limit under guard in the pipeline.',
  'after-failed':
    'In a schedule, this pipeline waits for another one (after), and the last run of that one failed for good. So this one was not run and nothing was sent. Repair the other pipeline; both run again when they are due. windrow run starts this one by hand, whatever the other one did.',
  'far-from-farm':
    'More than half of the boundaries that the import would create or move lie more than 50 km from every boundary that the farm has, so the file is probably of another farm, or in another coordinate system. Nothing was sent. Name the right farm with --holding, or the coordinate system with --crs. If the farm really has land there, add --far allow (in a pipeline, guard: { far: allow }).',
  'duplicates-found':
    'Many of the new records lie on a boundary, or have a name, that the farm already has under another key, or have the boundaries of another farm of the account, so the import would double the farm. Nothing was sent. If they are the same records, add --match boundary or --match name (in a pipeline, match:), which updates the records that are there; if they really are new, add --duplicates allow.',
  'records-renamed':
    'At least 80 % of the records that the service has would get another name, and more than half of these other values too, such as the crop or the area. So the file is probably of another farm that uses the same ids, or its ids or columns have moved; nothing was sent. Name the right farm with --holding, or correct the columns. Names that only get a word more, and boundaries on the same land, do not count. If the farm really changed so much, add --renamed allow (in a pipeline, guard: { renamed: allow }).',
  interrupted:
    'The run was stopped by Ctrl-C, by closing the window or by the system. What was sent is known. Run the same command again: it continues where it stopped and sends nothing twice.',
} as const satisfies Readonly<Record<ErrorCode, string>>

/** What each exit status means, in one line, and a paragraph that says what to do. */
export const exitExplanations = {
  done: {
    meaning: 'Done.',
    paragraph:
      'Every row was sent, was unchanged or was skipped with a reason, and the service shows what was sent. Notes in the report are worth a look; nothing needs to be done.',
  },
  bug: {
    meaning: 'windrow itself failed (a bug).',
    paragraph:
      'windrow met a case that its authors did not foresee. Records that were already sent stay sent. Please report the text that was printed, and run the same command again: it continues where it stopped.',
  },
  cannotUse: {
    meaning: 'The file, the options or the pipeline cannot be used. Nothing was sent.',
    paragraph:
      'Something is wrong or missing in what you gave windrow, and running it again will not help. Read the message, correct the file, the option or the pipeline that it names, and run the command again.',
  },
  doneWithRejects: {
    meaning:
      'Done, but some rows were rejected by windrow, refused by the service, or accepted but not yet visible. For `verify`: differences were found. For `undo`: records were left alone. For `status`: a pipeline is not well.',
    paragraph:
      'The good rows are published; the others are not. The rejected rows are in a file beside the report, with the reason in each row: correct them there and type the windrow retry command that the report shows. For records that are not yet visible, run the same command again.',
  },
  unreachable: {
    meaning: 'The service cannot be reached. Run it again later.',
    paragraph:
      'The service, the web address of the file, or the network share with the file did not answer or answered with an error, also after several tries. Run the same command again later: it continues where it stopped and sends nothing twice. A schedule does this by itself.',
  },
  refused: {
    meaning: 'The service refuses the account: credentials or rights. Fix that first.',
    paragraph:
      'The sign-in failed, or the account may not write this farm; trying again does not help. Save the connection again with windrow connect. windrow service control lists the farms that the account may write.',
  },
  guard: {
    meaning: 'A limit (guard) stopped the run. Nothing was sent.',
    paragraph:
      'The file looks wrong in a way that could harm the farm: more rows are rejected, missing or replaced than the limits allow, or a column, the coordinate system or the whole way of writing changed. windrow stops before it sends anything, because nobody may be watching. Look at the report. If the file is wrong, export it again; if it is right, change the line of the pipeline that the message names, such as guard: { rejected: 10 % }, and run it again.',
  },
  interrupted: {
    meaning: 'Interrupted. Run it again to continue.',
    paragraph:
      'The run was stopped by Ctrl-C. What was sent is known. Run the same command again: it continues where it stopped and sends nothing twice.',
  },
  terminated: {
    meaning: 'Stopped by the system. Run it again to continue.',
    paragraph:
      'The system stopped the run, for example at shutdown. What was sent is known. Run the same command again: it continues where it stopped and sends nothing twice.',
  },
} as const satisfies Readonly<Record<keyof typeof exitCodes, { readonly meaning: string; readonly paragraph: string }>>

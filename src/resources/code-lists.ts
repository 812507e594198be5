/**
 * Lists the values of the service's code lists. All lists are open: a value that is not listed is passed on. The service
 * spells many values of medicine (section 2.6) in two ways: those of its schema come first.
 */

/** Classes of medicine, in both spellings. */
const medicineClassifications = valuesIn(`
ActiveConstituent AlimentaryAntibiotic AlimentarySystem AnaestheticsAnalgesics AnalgesicMusculoskeletal
AntibioticGenitourinary AntibioticNutritional AntibioticRelated Antidotes Antihistamines BrandingSubstance
CentralNervousSystem DermalEquipDisinfectant DermatologicalPreparations Disinfectant EndocrineSystem Euthanasiates
GenitourinarySystem ImmunoParasiteNutrition Immunotherapy MiscellaneousVeterinary MusculoskeletalSystem
NutritionMetabolism OphthalmicPreparations ParasiticideNutritional Parasiticides RespiratorySystem
Anaesthetics/Analgesics Antibiotic+Related Antibiotic+Nutritional Antibiotic+Genitourinary Dermal+EquipDisinfectant
Immuno+Parasite+Nutrition Nutrition+Metabolism Parasiticide+Nutritional
`)

/** Forms of medicine, in both spellings. */
const medicineForms = valuesIn(`
Aerosol AqueousConcentrate AuralOphthalmicOroNasoPharyngeal EarTag Injection IntraMammary IntraRuminalDevice
IntraVaginalUterinePrepDevice Liquid LiquidConcentrate MedicatedDressingTopicalDevice OralBlockLick OralBolusChewable
OralBolusIntraVaginalUterine OralCapsule OralFoodCanSemiDryDry OralGranulesPellets OralPaste OralPowderPreMix
OralSeleniumFertilizer OralSolutionSuspension OralTablet ParenteralImplantDevice ParenteralLiquidSolutionSuspension
Powder Shampoo TopicalAerosolSpray TopicalCreamOintmentPasteGelLotion TopicalDustPowder TopicalOralSolutionSuspension
TopicalPumpSpray TopicalSolutionSuspension TopicalSprayLotion Unknown VaccinesOrAntiSera AqueousSuspension
AqueousSuspensionWithMicroencapsulatedActive AqueousTopicalSolution Aural-Ophthalmic-Oro/NasoPharyngeal Backline Bait
BaitConcentrate BlendingConcentrate Block(Inc.Stick) Briquet CapsuleSuspension Cartridge Collar-Medalion Cream
DermalPaste+OralPaste Diagnostic DispersibleConcentrate DryFlowable Dust DustablePowder EmulsifiableConcentrate
EmulsifiableConcentrate+DryFlowable EmulsifiableGranule EmulsifiableSuspension Emulsion Emulsion-OilInWater
EncapsulatedGranule FineGranule FishTankMedication Gas(SoilFumigant) GasGeneratingProduct Gel GeneticMaterial
GranularFormulation ImpregnatedPlasticStrips ImpregnatedWetTissue Intra-Mammary Intra-RuminalDevice
Intra-Vaginal/UterinePrep/Device LaminatedBlanket LiquidVaporiser LiquifiedGas Lotion MatrixReleaseFormulation
MedicatedDressing-TopicalDevice MicroEmulsifiableConcentrate MicroEmulsion Microencapsulated MicroencapsulatedGel
MicroencapsulatedPaste Microgranule MixedFormulationOfCapsuleSuspensionAndSuspensionConcentrate
MixedFormulationOfCsAndEw Non-AqueousConcentrate OilMiscibleLiquid Oil-BasedSuspensionConcentrate
Oil-BasedSuspensionConcentrates Ointment(Inc.Lotion-Salve-Dressing) OralBlock-Lick OralBolus+IntraVaginal/Uterine
OralBolus-Chewable OralBolus/Chewable+TopicalSolution/Suspension OralChewable+TopicalCream-Ointment-Paste-Gel
OralFood(Can/Semi-Dry/Dry) OralGel OralGranules-Pellets OralPowder-Pre-Mix OralSolution/Suspension OralSyrup
OralTablet+TopicalSolution OtherLiquidsToBeAppliedUndiluted Paint ParenteralImplant-Device
ParenteralLiquid/Solution/Suspension Paste Pellet(EgSnailBait) PowderForDrySeedTreatment PressurisedGas
PressurisedSpray Ready-To-UseBait RectalSuppository Resin Sachet SlowReleaseGenerator(Inc.FleaCollars)
SmokeGenerator(FumigantInsectOrFungicide) Soap Soap(Inc.Shampoo) Solid(Inc.MosquitoCoilsAndCandles-Premixes)
SolubleConcentrate SolublePowder SolutionForSeedTreatment SuspensionConcentrate
SuspensionConcentratesForSeedTreatment(FS) Suspoemulsion Tablet(Inc.Pellet-Bolus-Suppository-Capsule)
TabletsForDirectApplication Topical+OralSolution/Suspension TopicalCream-Ointment-Paste-Gel-Lotion TopicalDust-Powder
TopicalSoln+Aural-Opthal-Oro TopicalSolution/Suspension TopicalSpray+Lotion ToweletWithImpregnatedLiquid
TrackingPowder TransgenicPlant TreatedApparelAndGear UltraLowVolume VaccineOrAntisera VapourReleasingProduct Vet*
VeterinaryInhalationAnaesthetics WaterDispersibleGranule WaterDispersibleGranule+AqueousConcentrate
WaterMiscibleLiquid WaterSolubleGels WaterSolubleGranules WaxBlock WettablePowder
`)

function valuesIn(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

/** `name` is the `format` in schemas; `title` names a value of the list in a sentence. */
export type CodeList = { readonly name: string; readonly title: string; readonly values: readonly string[] }

/** All lists. Where the service has two spellings of a value, both are listed. */
export const codeLists: readonly CodeList[] = [
  {
    name: 'work-status',
    title: 'status of a job',
    values: ['Scheduled', 'InProgress', 'Paused', 'PartiallyCompleted', 'Complete', 'Cancelled'],
  },
  { name: 'priority', title: 'priority', values: ['Immediately', 'SoonAsPossible', 'High', 'Medium', 'Low'] },
  {
    name: 'operation',
    title: 'kind of work',
    values: valuesIn(`
Unknown Fertilizing SowingAndPlanting CropProtection Tillage Baling Mowing Wrapping Harvesting ForageHarvesting
Transport Swathing Irrigation DataCollection Grazing Burning
`),
  },
  {
    name: 'wind-direction',
    title: 'wind direction',
    values: ['N', 'NNE', 'NE', 'ENE', 'E', 'ESE', 'SE', 'SSE', 'S', 'SSW', 'SW', 'WSW', 'W', 'WNW', 'NW', 'NNW'],
  },
  {
    name: 'abundance',
    title: 'abundance',
    values: ['Dominant', 'Abundant', 'Frequent', 'Occasional', 'Rare', 'NotObserved'],
  },
  {
    name: 'medicine-species',
    title: 'kind of animal',
    values: ['Buffalo', 'Cattle', 'Deer', 'Elk', 'Goat', 'Horse', 'Pig', 'Sheep'],
  },
  { name: 'breed-species', title: 'kind of animal', values: ['Cattle', 'Sheep', 'Deer'] },
  {
    name: 'breed-scheme',
    title: 'scheme of breed codes',
    values: ['ICAR3', 'ICAR2', 'NZ DIGAD3', 'NZ DIGAD1', 'ABRI', 'BCMS'],
  },
  {
    name: 'withholding-product',
    title: 'product that is withheld',
    values: ['Eggs', 'Fibre', 'Honey', 'Meat', 'Milk', 'Other', 'Velvet'],
  },
  { name: 'medicine-classification', title: 'class of medicine', values: medicineClassifications },
  { name: 'medicine-form', title: 'form of a medicine', values: medicineForms },
]

const valuesByKey = new Map(
  codeLists.map(({ name, values }) => [
    name,
    new Map(values.map((value) => [codeKey(value), value] as const).toReversed()),
  ]),
)
const valuesByList = new Map(codeLists.map(({ name, values }) => [name, values]))

/** True when the list has the value in exactly this spelling. */
export function isListed(name: string, value: string): boolean {
  return valuesByList.get(name)?.includes(value) ?? false
}

/** The value in the list's spelling, ignoring case, spaces and signs; undefined when it is not in the list. */
export function listedSpelling(name: string, value: string): string | undefined {
  return isListed(name, value) ? value : valuesByKey.get(name)?.get(codeKey(value))
}

/** A key that all spellings of a value share: `Antibiotic+Related`, `Antibiotic Related` and `AntibioticRelated`. */
export function codeKey(value: string): string {
  return value.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

"""Words that business documents use for one and the same thing, in English, German, French and Spanish."""

from functools import lru_cache

from services.extractor.tokens import stem

_GROUPS = """
total gesamt gesamtbetrag gesamtsumme summe sum totale importe montant endbetrag altogether whole
amount betrag montant importe sum
price preis prix precio cost costs paid charge charged spent transferred
fee gebühr frais tarifa charge
net netto neto nett subtotal zwischensumme
tax vat mwst gst iva tva steuer ust
tip gratuity trinkgeld pourboire propina
deposit anzahlung kaution acompte depósito
discount rabatt rebate remise descuento
refund erstattung rückerstattung reimbursement remboursement reembolso
owed balance due outstanding open unpaid remaining
due fällig payable deadline échéance vencimiento
purchase bought buy paid ordered order bestellt gekauft acheté comprado kauf bestellung
delivery delivered arrived arrive arrival received receive came lieferung geliefert livraison parcel courier handed
shipping postage versand freight porto envío livraison
repair fix fixing mend mending repairing reparatur réparation reparación straighten
quote quoted estimate estimates asks offer angebot devis presupuesto wants
invoice bill rechnung facture factura
order bestellung commande pedido
date datum fecha day
issued issue ausgestellt billed
start begin begins starts beginn from
end ends expiry expires until ende
customer client kunde kundin cliente buyer käufer
sender signed from writer
name namen nom nombre
contact ansprechpartner agent handled
company firma vendor seller supplier merchant unternehmen entreprise empresa shop store
phone telephone tel mobile telefon téléphone teléfono handy call
email mail
address adresse anschrift dirección ship
city town ort stadt ville ciudad location
tracking parcel sendungsnummer shipment
serial seriennummer sn
weight gewicht poids peso mass weighs weigh
quantity qty menge quantité cantidad pieces units stück count
item product article artikel goods produkt produit producto
colour color farbe couleur
damage damaged defect problem issue schaden broken crack
warranty guarantee garantie garantía
duration length dauer durée
time uhrzeit heure hora
rent miete loyer alquiler
salary gehalt salaire pay wage
birth born dob geburtsdatum geboren
guests people persons party personen
rating stars score
reference ref referenz
number no nr nummer num numéro número
"""


def _read() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for index, line in enumerate(_GROUPS.strip().splitlines()):
        for word in line.split():
            found.setdefault(stem(word), set()).add(index)
    return {word: frozenset(groups) for word, groups in found.items()}


_GROUPS_OF = _read()


@lru_cache(maxsize=16384)
def groups(word_stem: str) -> frozenset[int]:
    """Numbers of the groups that a stem belongs to; a compound belongs to those of its first and its last part."""
    found = _GROUPS_OF.get(word_stem)
    if found is not None:
        return found
    parts = [g for word, g in _GROUPS_OF.items() if len(word) >= 5 and _part(word, word_stem)]
    return frozenset().union(*parts)


def _part(word: str, compound: str) -> bool:
    rest = len(compound) - len(word)
    return rest >= 4 and (compound.startswith(word) or compound.endswith(word))

package io.sagaspring.sample.billing;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/invoices")
class InvoiceController {

    private final Invoices invoices;

    InvoiceController(Invoices invoices) {
        this.invoices = invoices;
    }

    @GetMapping("/{id}")
    InvoiceView one(@PathVariable long id) {
        return invoices.findById(id).map(InvoiceView::of).orElseThrow(() -> NotFoundException.of("invoice", id));
    }

    @GetMapping(params = "number")
    List<InvoiceView> bearing(@RequestParam String number) {
        return invoices.findByNumberOrderById(number).stream()
                .map(InvoiceView::of)
                .toList();
    }
}

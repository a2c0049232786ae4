package io.sagaspring.sample.billing;

import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;

interface Invoices extends JpaRepository<Invoice, Long> {

    List<Invoice> findByNumberOrderById(String number);
}
